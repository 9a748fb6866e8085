"""Validates documents against the schemas in the folder beside this file."""

import functools
import json
import os

import jsonschema
from lxml import etree

SCHEMAS = os.path.join(os.path.abspath("tests/cli"), "schemas")


@functools.lru_cache(None)
def _sarif_validators():
    files = [os.path.join(SCHEMAS, "sarif.json")]
    if "PLUMBLINE_SARIF_SCHEMA" in os.environ:
        files.append(os.environ["PLUMBLINE_SARIF_SCHEMA"])
    validators = []
    for file in files:
        with open(file, encoding="utf-8") as opened:
            schema = json.load(opened)
        kind = jsonschema.validators.validator_for(schema)
        kind.check_schema(schema)
        validators.append(kind(schema, format_checker=jsonschema.FormatChecker()))
    return validators


@functools.lru_cache(None)
def _junit_schema():
    return etree.XMLSchema(etree.parse(os.path.join(SCHEMAS, "junit-10.xsd")))


def sarif_faults(log):
    """What is wrong with a SARIF log, as sentences; each with its place."""
    return [f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:500]}"
            for validator in _sarif_validators() for error in validator.iter_errors(log)]


def junit_faults(file):
    """What is wrong with a file of JUnit XML, as sentences."""
    schema = _junit_schema()
    schema.validate(etree.parse(file))
    return [f"line {error.line}: {error.message}" for error in schema.error_log]

class Linear:
    def __init__(self, inputs, outputs):
        self.shape = inputs, outputs

    def parameters(self):
        return iter(self.shape)

# /// snippet
# title.zh = "safetensors 文件，亲手写一个"
# title.en = "A safetensors file, written by hand"
# topics = ["T04"]
# devices = ["cpu"]
# timeout = 60
# ///
import json
from pathlib import Path

import torch

weights = {"weight": torch.arange(6.0).reshape(2, 3), "bias": torch.tensor([7.0, 8.0])}

header, body = {}, b""
for name, tensor in weights.items():
    data = tensor.numpy().tobytes()
    span = [len(body), len(body) + len(data)]
    header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": span}
    body += data
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
Path("hand.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + body)

content = Path("hand.safetensors").read_bytes()
length = int.from_bytes(content[:8], "little")
for name, entry in json.loads(content[8 : 8 + length]).items():
    begin, end = (8 + length + place for place in entry["data_offsets"])
    tensor = torch.frombuffer(bytearray(content[begin:end]), dtype=torch.float32)
    tensor = tensor.reshape(entry["shape"])
    print(f"{name:6}", entry["shape"], tensor.tolist())
    assert tensor.equal(weights[name])

print("in the file:", 8, "bytes of length,", length, "of JSON,", len(body), "of numbers; no pickle")
try:
    answer = torch.load("hand.safetensors")["bias"].equal(weights["bias"])
except RuntimeError as error:
    answer = str(error).partition(". ")[0]
print("torch.load:", answer)

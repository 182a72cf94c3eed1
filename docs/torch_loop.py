"""A PyTorch loop that records itself. Run it in a folder of its own, then judge what it wrote:
PYTHONPATH=tools/ports/python python3 docs/torch_loop.py && microstep judge run.json"""
import torch
from recorder import Recorder

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
x, y, k = torch.randn(6, 8, 3), torch.randn(6, 8, 1), 2

with Recorder("run.json", spec="multi_steps(adam(0.1), k=2)", hyper_precision="float64") as r:
    r.start_torch(model, optimizer)
    for i in range(6):
        loss = torch.nn.functional.mse_loss(model(x[i]), y[i]) / k
        loss.backward()
        if i % k == k - 1:
            optimizer.step()
            optimizer.zero_grad()
        r.step_torch(times=k)

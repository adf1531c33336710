"""What the compiler knows of a value unevaluated: contiguity, divisibility, constancy; and who spoils it."""

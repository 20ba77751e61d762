import type { DataType } from '#model';

/** `TensorProto.DataType` of the ONNX format, by our names. */
export const ELEMENT_TYPES: Readonly<Record<DataType, number>> = {
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  string: 8,
  bool: 9,
  float16: 10,
  float64: 11,
  uint32: 12,
  uint64: 13,
};

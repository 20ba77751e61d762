import { IsTensor, type Tensor } from '#model';

/** A handwritten digit. */
export class DigitInput {
  /** 28 × 28 pixels row by row, from 0 for paper to 1 for ink. */
  @IsTensor('float32', [784])
  pixels: Tensor<'float32'>;
}

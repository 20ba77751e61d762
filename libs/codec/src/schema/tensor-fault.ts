/** Says where in a tensor's value a fault is, and what would be right. */
export class TensorFault extends Error {
  override readonly name = 'TensorFault';

  /** @param path JSON pointer below the tensor, for example `/17` */
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

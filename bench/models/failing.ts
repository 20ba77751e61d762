/** Fails on whatever it is given. */
export default function failing(): never {
  throw new Error('this model is broken');
}

/** Elements that are looked at to tell how many of a large heap are of some kind. */
const SAMPLE = 64;

/**
 * A binary heap whose elements carry their own position, so that any of them can be removed in O(log n)
 * without a search and without a map beside the heap.
 *
 * @typeParam T element
 * @typeParam K the numeric property of `T` in which this heap keeps the position; −1 outside the heap
 */
export class IndexedHeap<T extends Record<K, number>, K extends keyof T> {
  readonly #elements: T[] = [];
  readonly #compare: (a: T, b: T) => number;
  readonly #position: K;

  /** @param compare negative when `a` leaves before `b` */
  constructor(compare: (a: T, b: T) => number, position: K) {
    this.#compare = compare;
    this.#position = position;
  }

  get size(): number {
    return this.#elements.length;
  }

  peek(): T | undefined {
    return this.#elements[0];
  }

  has(element: T): boolean {
    return this.#elements[element[this.#position]] === element;
  }

  push(element: T): void {
    this.#elements.push(element);
    this.#siftUp(element, this.#elements.length - 1);
  }

  pop(): T | undefined {
    const first = this.#elements[0];
    if (first !== undefined) this.delete(first);
    return first;
  }

  /** Removes `element`. Returns false when it is not in the heap. */
  delete(element: T): boolean {
    if (!this.has(element)) return false;
    const position = element[this.#position];
    const last = this.#elements.pop()!;
    this.#setPosition(element, -1);
    if (last !== element) {
      this.#siftUp(last, position);
      this.#siftDown(last, last[this.#position]);
    }
    return true;
  }

  /** How many elements are such; of a large heap, as many as a sample of it lets expect. */
  countAbout(isSuch: (element: T) => boolean): number {
    const { length } = this.#elements;
    const looks = Math.min(length, SAMPLE);
    let count = 0;
    for (let look = 0; look < looks; look++) {
      if (isSuch(this.#elements[Math.floor((look * length) / looks)]!)) count++;
    }
    return looks === length ? count : Math.round((count / looks) * length);
  }

  /** The elements in no particular order. */
  [Symbol.iterator](): Iterator<T> {
    return this.#elements[Symbol.iterator]();
  }

  #siftUp(element: T, from: number): void {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#elements[parent]!;
      if (this.#compare(element, above) >= 0) break;
      this.#place(above, position);
      position = parent;
    }
    this.#place(element, position);
  }

  #siftDown(element: T, from: number): void {
    const size = this.#elements.length;
    let position = from;
    for (;;) {
      const left = 2 * position + 1;
      if (left >= size) break;
      const right = left + 1;
      const child =
        right < size && this.#compare(this.#elements[right]!, this.#elements[left]!) < 0 ? right : left;
      const below = this.#elements[child]!;
      if (this.#compare(below, element) >= 0) break;
      this.#place(below, position);
      position = child;
    }
    this.#place(element, position);
  }

  #place(element: T, position: number): void {
    this.#elements[position] = element;
    this.#setPosition(element, position);
  }

  #setPosition(element: T, position: number): void {
    (element as Record<K, number>)[this.#position] = position;
  }
}

export const answer = 42;

export class Something {}

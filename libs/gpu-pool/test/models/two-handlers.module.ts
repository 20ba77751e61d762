import { BatchedHandler } from '#model';
import { Injectable, Module } from '@nestjs/common';

@Injectable()
class Arithmetic {
  @BatchedHandler({ name: 'double' })
  double(batch: number[]): number[] {
    return batch.map((n) => 2 * n);
  }

  @BatchedHandler({ name: 'negate' })
  negate(batch: number[]): number[] {
    return batch.map((n) => -n);
  }
}

@Module({ providers: [Arithmetic] })
export class ArithmeticModule {}

@Module({ providers: [] })
export class EmptyModule {}

/** As a package offers a module that is configured. */
export const configured = { module: ArithmeticModule, providers: [] };

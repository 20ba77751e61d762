import { OnnxModule } from '#onnx';
import { Module } from '@nestjs/common';
import { DigitsModel } from './digits.model.js';

/** The model `digits`: a picture of a handwritten digit in, the digit out. */
@Module({
  imports: [OnnxModule.forFile(new URL('./digits.onnx', import.meta.url))],
  providers: [DigitsModel],
})
export class DigitsModule {}

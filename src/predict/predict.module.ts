import { Codecs } from '#codec';
import { Module } from '@nestjs/common';
import { ErrorsController } from '../docs/errors.controller.js';
import { DecodePredictionPipe } from './decode-prediction.pipe.js';
import { PredictController } from './predict.controller.js';
import { StreamController } from './stream.controller.js';

@Module({
  controllers: [ErrorsController, PredictController, StreamController],
  providers: [{ provide: Codecs, useValue: new Codecs() }, DecodePredictionPipe],
})
export class PredictModule {}

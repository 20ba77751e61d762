import { Codecs } from '#codec';
import { Module } from '@nestjs/common';
import { ErrorsController } from '../docs/errors.controller.js';
import { BodyThreads } from './body/body-threads.js';
import { DecodePredictionPipe } from './decode-prediction.pipe.js';
import { PredictController } from './predict.controller.js';
import { StreamController } from './stream.controller.js';

@Module({
  controllers: [ErrorsController, PredictController, StreamController],
  providers: [{ provide: Codecs, useValue: new Codecs() }, BodyThreads, DecodePredictionPipe],
})
export class PredictModule {}

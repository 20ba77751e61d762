import { AdmissionGuard } from '#admission';
import { CircuitBreakerInterceptor } from '#circuit-breaker';
import { ShadowTraffic } from '#registry';
import { Controller, HttpCode, Inject, Post, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForClients } from '../access/audience.js';
import { BodyThreads } from './body/body-threads.js';
import { DecodePredictionPipe } from './decode-prediction.pipe.js';
import { HttpRequest } from './http-request.decorator.js';
import { predictList, predictOne } from './predict-items.js';
import type { Prediction } from './prediction.js';
import { PREDICTION_ROUTE } from './request-tracking.js';

/** `POST /models/{name}/predict`. The API description lists it once for each model, with the model's schema. */
@ApiExcludeController()
@ForClients()
@Controller('models')
export class PredictController {
  constructor(
    @Inject(ShadowTraffic) private readonly shadows: ShadowTraffic,
    @Inject(BodyThreads) private readonly threads: BodyThreads,
  ) {}

  @Post(':name/predict')
  @HttpCode(200)
  @RouteConfig({ [PREDICTION_ROUTE]: true })
  @UseGuards(AdmissionGuard)
  @UseInterceptors(CircuitBreakerInterceptor)
  async predict(
    @HttpRequest(DecodePredictionPipe) prediction: Prediction,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { requestId, arrivedAt, answerCodec } = prediction;
    const answering = prediction.isList ? predictList(prediction) : predictOne(prediction);
    this.shadows.offer(prediction.model, prediction.body, requestId);
    const answer = {
      ...(await answering),
      request_id: requestId,
      processing_time: secondsSince(arrivedAt),
    };
    const body = this.threads.isLargeAnswer(answerCodec, answer)
      ? await this.threads.encode(answerCodec, answer)
      : answerCodec.encode(answer);
    await reply.type(answerCodec.mediaType).send(body);
  }
}

/** To the microsecond, since what lies below is no measurement. */
function secondsSince(milliseconds: number): number {
  return Math.round((performance.now() - milliseconds) * 1000) / 1e6;
}

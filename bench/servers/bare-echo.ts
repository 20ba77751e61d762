import fastify from 'fastify';

/* The least that a JSON route on Fastify can cost: it parses a body and sends it back in our server's envelope. */

interface Body {
  readonly data: unknown;
}

const app = fastify();
app.post<{ Body: Body }>('/models/:name/predict', (request, reply) => {
  const start = performance.now();
  reply.send({
    result: request.body.data,
    request_id: request.id,
    processing_time: (performance.now() - start) / 1000,
  });
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });

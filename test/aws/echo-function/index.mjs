import { setTimeout as sleep } from 'node:timers/promises'

/** Answers with the path it was asked for, in three chunks, 200 ms apart. */
export const handler = awslambda.streamifyResponse(async ({ rawPath }, stream) => {
  const body = awslambda.HttpResponseStream.from(stream, { statusCode: 201, headers: { 'x-seen': rawPath } })
  for (const chunk of ['one', 'two', 'three']) {
    body.write(chunk)
    await sleep(200)
  }
  body.end()
})

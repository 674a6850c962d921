import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import { Agent, request as send } from 'undici'
import { awsRequests } from './aws-request.ts'
import { type AwsEmulator, certificateOf } from './emulator.ts'
import { sinkHeader, streamSinks } from './stream-sinks.ts'

/**
 * Lambda's API in front of the emulator's, which only supports buffered responses: clients of InvokeWithResponseStream get the chunks while the
 * function streams them. All other requests are forwarded unchanged.
 */
export interface LambdaApi extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, for functions: AWS_ENDPOINT_URL_LAMBDA. */
  readonly url: string
  /** The emulator behind it, once that is there. */
  open(emulator: AwsEmulator): void
}

const streaming = /^\/2021-11-15\/functions\/([^/]+)\/response-streaming-invocations$/

export async function serveLambdaApi(): Promise<LambdaApi> {
  const sinks = await streamSinks()
  const { promise: behind, resolve: open } = Promise.withResolvers<AwsEmulator>()
  const server = createServer((request, response) => {
    answer(request, response).catch(error => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const emulator = await behind
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const [, name] = streaming.exec(request.url ?? '') ?? []
    const more = name ? { 'x-amz-invocation-type': 'DryRun' } : {}
    // Signature and rights are the emulator's to judge: it gets the request as it was signed.
    const judged = await send(`${emulator.endpoint}${request.url}`, {
      method: request.method as 'POST',
      headers: { ...signedHeaders(request), ...more },
      body: body.length > 0 ? body : null,
      dispatcher: dispatcherOf(emulator),
    })
    if (name && judged.statusCode === 204) {
      await judged.body.dump()
      return stream(emulator, name, JSON.parse(body.toString()), response)
    }
    const { connection: _, 'transfer-encoding': __, ...headers } = judged.headers
    response.writeHead(judged.statusCode, headers)
    response.end(Buffer.from(await judged.body.arrayBuffer()))
  }

  const stream = async (emulator: AwsEmulator, name: string, event: Event, response: ServerResponse): Promise<void> => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
    const sink = sinks.open({ chunk: bytes => response.write(message('PayloadChunk', bytes)), end })
    const path = `/2015-03-31/functions/${name}/invocations`
    const asked = { ...event, headers: { ...event.headers, [sinkHeader]: sink.url } }
    const invoked = await awsRequests(emulator)({
      service: 'lambda',
      method: 'POST',
      path,
      body: JSON.stringify(asked),
    })
    const failed = invoked.status >= 300 || invoked.headers['x-amz-function-error'] !== undefined
    if (!failed) await ended
    sink.close()
    const complete = failed ? { ErrorCode: 'Unhandled', ErrorDetails: invoked.text } : {}
    response.end(message('InvokeComplete', Buffer.from(JSON.stringify(complete))))
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await Promise.all([closed, sinks[Symbol.asyncDispose]()])
    },
  }
}

/** All but those of the connection, which is another one. */
const signedHeaders = ({ headers }: IncomingMessage): Record<string, string> => {
  const { connection: _, 'transfer-encoding': __, ...others } = headers
  return others as Record<string, string>
}

interface Event {
  readonly headers?: Readonly<Record<string, string>>
}

const dispatcherOf = (emulator: AwsEmulator): Agent =>
  new Agent({ connect: { ca: certificateOf(emulator) }, headersTimeout: 900_000, bodyTimeout: 900_000 })

/** Framed as AWS does: lengths and their checksum, headers, payload, and the checksum of it all. */
function message(type: string, payload: Buffer): Buffer {
  const headers = Buffer.concat([header(':message-type', 'event'), header(':event-type', type)])
  const head = Buffer.alloc(12)
  head.writeUInt32BE(head.length + headers.length + payload.length + 4)
  head.writeUInt32BE(headers.length, 4)
  head.writeUInt32BE(crc32(head.subarray(0, 8)), 8)
  const framed = Buffer.concat([head, headers, payload])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(framed))
  return Buffer.concat([framed, checksum])
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(value.length)
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)])
}

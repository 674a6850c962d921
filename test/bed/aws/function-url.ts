import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificate } from '../certificates.ts'
import { endWithTest } from '../teardown.ts'
import { awsRequests } from './aws-request.ts'
import type { AwsEmulator } from './emulator.ts'
import { type StreamTaker, sinkHeader, streamSinks } from './stream-sinks.ts'

/** A Lambda function's URL, served on loopback: the part of AWS between clients and Lambda. */
export interface FunctionUrl extends AsyncDisposable {
  /** `https://127.0.0.1:<port>`, or `http:` without a certificate. */
  readonly url: string
  /** The domain name that AWS has given it, which the function sees. */
  readonly domainName: string
}

export interface FunctionUrlOptions {
  /** For a server on 127.0.0.1; without it the URL is plain http. */
  readonly certificate?: Certificate
  /** Requests that are passed on at a time; unless given all, for each of which the emulator starts a process. */
  readonly atOnce?: number
}

/**
 * Serves the URL of a deployed function until the test ends: exact path and query, buffered or streamed as the function's
 * own configuration says. The function itself runs in the emulator. Fails when the function has no URL.
 */
export const functionUrl = async (
  emulator: AwsEmulator,
  functionName: string,
  options?: FunctionUrlOptions,
): Promise<FunctionUrl> => endWithTest(await serveFunctionUrl(emulator, functionName, options))

/** The same, disposed of by the caller. */
export async function serveFunctionUrl(
  emulator: AwsEmulator,
  functionName: string,
  { certificate, atOnce = Number.POSITIVE_INFINITY }: FunctionUrlOptions = {},
): Promise<FunctionUrl> {
  const aws = awsRequests(emulator)
  const name = encodeURIComponent(functionName)
  const found = await aws({ service: 'lambda', method: 'GET', path: `/2021-10-31/functions/${name}/url` })
  if (found.status !== 200) throw new Error(`function ${functionName} has no URL: ${found.text}`)
  const { FunctionUrl: url, InvokeMode: mode } = JSON.parse(found.text) as { FunctionUrl: string; InvokeMode?: string }
  const domainName = new URL(url).host
  const streams = mode === 'RESPONSE_STREAM' ? await streamSinks() : undefined
  const inTurn = turns(atOnce)

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const event = eventOf(request, await bodyOf(request), domainName)
    const sink = streams?.open(headThenBody(response))
    if (sink) event.headers[sinkHeader] = sink.url
    const path = `/2015-03-31/functions/${name}/invocations`
    const invoked = await inTurn(() =>
      aws({ service: 'lambda', method: 'POST', path, body: JSON.stringify(event) }),
    ).finally(() => sink?.close())
    const failed = invoked.status >= 300 || invoked.headers['x-amz-function-error'] !== undefined
    if (response.headersSent) {
      if (failed) response.destroy()
      return
    }
    if (failed) writeAnswer(response, { statusCode: 502, body: '{"message":"Internal Server Error"}' })
    else writeAnswer(response, JSON.parse(invoked.text || 'null'))
  }
  const listener: RequestListener = (request, response) => {
    answer(request, response).catch(error => {
      console.error(`${functionName} did not respond to ${request.method} ${request.url}:`, error)
      response.destroy()
    })
  }
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    domainName,
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await Promise.all([closed, streams?.[Symbol.asyncDispose]()])
    },
  }
}

/** Runs so many at a time, the others in the order in which they came. */
function turns(atOnce: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running === atOnce) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Bodies of these types reach a function as text, all others in base64. */
const textual = /^(text\/|application\/(json|xml|javascript|x-www-form-urlencoded))/

/** Payload format 2.0, as function URLs send it: cookies are apart from the other headers. */
function eventOf(request: IncomingMessage, body: Buffer, domainName: string) {
  const [rawPath = '/', rawQueryString = ''] = (request.url ?? '/').split(/\?(.*)/s)
  const headers: Record<string, string> = {}
  const { cookie, ...others } = request.headers
  for (const [name, value] of Object.entries(others))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value
  headers.host = domainName
  const isText = textual.test(headers['content-type'] ?? '')
  const query = new URLSearchParams(rawQueryString)
  const names = [...new Set(query.keys())]
  const domainPrefix = domainName.split('.')[0]!
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    ...(cookie && { cookies: cookie.split('; ') }),
    headers,
    ...(names.length > 0 && {
      queryStringParameters: Object.fromEntries(names.map(name => [name, query.getAll(name).join(',')])),
    }),
    requestContext: {
      accountId: 'anonymous',
      apiId: domainPrefix,
      domainName,
      domainPrefix,
      http: {
        method: request.method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
    },
    ...(body.length > 0 && { body: isText ? body.toString() : body.toString('base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

interface Answer {
  readonly statusCode?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly body?: string
  readonly isBase64Encoded?: boolean
}

/** As function URLs read a function's result: with a status code it is a response, anything else is the body. */
function writeAnswer(response: ServerResponse, result: unknown): void {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const text = typeof result === 'string' ? result : JSON.stringify(result)
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    return
  }
  const answer = result as Answer
  writeHead(response, answer, 'application/json')
  response.end(Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8'))
}

function writeHead(response: ServerResponse, { statusCode, headers, cookies }: Answer, defaultType: string): void {
  response.writeHead(statusCode ?? 200, {
    'content-type': defaultType,
    ...headers,
    ...(cookies && { 'set-cookie': [...cookies] }),
  })
}

/** Answers with what a function streams: its head, up to the zeros, and then its body. */
function headThenBody(response: ServerResponse): StreamTaker {
  let start: Buffer | undefined = Buffer.alloc(0)
  return {
    chunk(bytes) {
      if (!start) return void response.write(bytes)
      start = Buffer.concat([start, bytes])
      const end = start.indexOf(preludeEnd)
      if (end < 0) return
      writeHead(response, JSON.parse(start.toString('utf8', 0, end)), 'application/octet-stream')
      response.flushHeaders()
      const rest = start.subarray(end + preludeEnd.length)
      if (rest.length > 0) response.write(rest)
      start = undefined
    },
    end() {
      if (start) response.writeHead(200, { 'content-type': 'application/octet-stream' }).write(start)
      response.end()
    },
  }
}

const preludeEnd = Buffer.alloc(8)

// Preloaded into the emulator's Lambda workers (see bin/node): what AWS's Node runtime has and the emulator's worker lacks.
// CommonJS, because --require takes nothing else.
const http = require('node:http')
const https = require('node:https')
const { PassThrough } = require('node:stream')
const { urlToHttpOptions } = require('node:url')

process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs24.x'
process.noDeprecation = true

// Response streaming. The emulator only knows answers that are whole, so a streamed one goes to the function URL's listener
// (function-url.ts) over a connection of its own, named by a header of the event; without that header it is collected.

const sinkHeader = 'x-keelson-stream-sink'
const preludeEnd = Buffer.alloc(8)

/** What a streaming handler writes to; a prelude (status and headers) goes out before the first byte. */
class ResponseStream extends PassThrough {
  setContentType(type) {
    this.contentType = type
  }
  write(...args) {
    this.#sendPrelude()
    return super.write(...args)
  }
  end(...args) {
    this.#sendPrelude()
    return super.end(...args)
  }
  #sendPrelude() {
    const { prelude } = this
    this.prelude = undefined
    if (prelude) super.write(prelude)
  }
}

const HttpResponseStream = {
  from(stream, metadata) {
    stream.setContentType('application/vnd.awslambda.http-integration-response')
    stream.prelude = Buffer.concat([Buffer.from(JSON.stringify(metadata)), preludeEnd])
    return stream
  },
}

const sendTo = (sink, stream) =>
  new Promise((resolve, reject) => {
    const request = http.request(sink, { method: 'POST', agent: false }, response => {
      response.resume().on('end', resolve)
    })
    request.on('error', reject)
    request.flushHeaders()
    stream.pipe(request)
  })

const collect = async stream => {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

globalThis.awslambda = {
  HttpResponseStream,
  streamifyResponse(handler, options) {
    const streaming = async (event, context) => {
      const stream = new ResponseStream({ highWaterMark: options?.highWaterMark ?? 16384 })
      const sink = event?.headers?.[sinkHeader]
      if (sink) delete event.headers[sinkHeader]
      const delivered = sink ? sendTo(sink, stream) : collect(stream)
      await handler(event, stream, context)
      if (!stream.writableEnded) stream.end()
      const answer = await delivered
      return sink ? null : answer
    }
    streaming[Symbol.for('aws.lambda.runtime.handler.streaming')] = 'response'
    return streaming
  },
}

// After an invocation that logs nothing the emulator waits 50 ms for a first line: it gets one, right after the result.
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (chunk, ...rest) => {
  const written = write(chunk, ...rest)
  if (typeof chunk === 'string' && /^\{"status":"(ok|error)"/.test(chunk)) process.stderr.write('-\n')
  return written
}

// The worker replaces https.request to reach the emulator over plain http, and does so for everything on loopback: our real
// API servers there too. Here only calls to the emulator lose their TLS; the worker's own assignment has no effect.
const emulator = new URL(process.env.AWS_ENDPOINT_URL || 'http://127.0.0.1:4566')
const { request: secureRequest } = https

const isEmulator = ({ hostname, host, port, path }) =>
  String(path ?? '').startsWith('/_ministack/') ||
  (['127.0.0.1', 'localhost'].includes((hostname || host || '').split(':')[0]) && String(port) === emulator.port)

const optionsOf = (input, options) =>
  typeof input === 'string' || input instanceof URL
    ? { ...urlToHttpOptions(new URL(input)), ...(typeof options === 'function' ? {} : options) }
    : { ...input }

const request = (input, options, callback) => {
  const plain = emulator.protocol === 'http:' ? optionsOf(input, options) : undefined
  if (!plain || !isEmulator(plain)) return secureRequest.call(https, input, options, callback)
  const { agent: _, _defaultAgent, ...kept } = plain
  const target = { ...kept, protocol: 'http:', hostname: '127.0.0.1', port: emulator.port }
  return http.request(target, typeof options === 'function' ? options : callback)
}

const get = (...args) => request(...args).end()

const unchangeable = value => ({ get: () => value, set: () => {}, configurable: false, enumerable: true })
Object.defineProperties(https, { request: unchangeable(request), get: unchangeable(get) })

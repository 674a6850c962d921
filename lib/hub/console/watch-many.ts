/** Several watches over one connection: browsers open six to a host over HTTP/1.1, and a page follows more kinds than that. */
import { type ByteStream, streamOf } from '../apiserver/wire/byte-stream.ts'

/** One of the watches: its response, as the API gave it. */
export interface Watched {
  /** What the client calls it. */
  readonly name: string
  readonly response: Response
}

const heartbeatMs = 15_000

/**
 * Lines `<name> <event>`; `<name> !` for a watch that the API refuses. An empty line every 15 seconds shows that the connection lives. Ends
 * with the first watch that ends, so that the client begins all again. Each watch is read as fast as the client takes its lines.
 */
export const mergedWatches = (watches: readonly Watched[], signal: AbortSignal): ByteStream => {
  const readers = watches.map(({ name, response }) => linesOf(name, response))
  return streamOf(merged(readers, signal), {
    stop: () => {
      for (const reader of readers) void reader.return(undefined).catch(() => {})
    },
  })
}

async function* linesOf(name: string, { ok, body }: Response): AsyncGenerator<string, void> {
  if (!ok) {
    await body?.cancel()
    yield `${name} !\n`
    await new Promise(() => {})
  } else if (body) {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) yield lines.map(line => `${name} ${line}\n`).join('')
    }
  }
}

async function* merged(
  readers: readonly AsyncGenerator<string, void>[],
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const pending = new Map(readers.map(reader => [reader, nextOf(reader)]))
  yield '\n'
  while (!signal.aborted) {
    const beat = Promise.withResolvers<'beat'>()
    const timer = setTimeout(() => beat.resolve('beat'), heartbeatMs)
    const first = await Promise.race([...pending.values(), beat.promise])
    clearTimeout(timer)
    if (first === 'beat') {
      yield '\n'
      continue
    }
    const { reader, result } = first
    if (result.done) return
    pending.set(reader, nextOf(reader))
    yield result.value
  }
}

const nextOf = (reader: AsyncGenerator<string, void>) =>
  reader.next().then(
    result => ({ reader, result }),
    // A watch that breaks off is begun again like one that ends.
    () => ({ reader, result: { done: true as const, value: undefined } }),
  )

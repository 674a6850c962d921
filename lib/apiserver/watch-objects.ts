import type { HubEvent } from '../hub/hub.ts'
import { apiVersionOf } from '../kinds/all.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { Api, Call, Handler } from './call.ts'
import type { ListOptions } from './list-options.ts'
import { listOptionsOf } from './list-options.ts'
import { notAcceptable } from './refusals.ts'
import { asApiError, failure } from './status.ts'
import type { View } from './views.ts'
import { viewOf } from './views.ts'

/** How often a quiet watch tells how far it is, as Kubernetes' watch cache does. */
const bookmarkEveryMs = 60_000
/** Kubernetes ends watches without a timeout of their own after half an hour to an hour. */
const defaultTimeoutSeconds = 1800
const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' }

/** Streams one JSON line per change until the client goes, or the time is over. */
export const watchObjects: Handler = async (api, call) => {
  const view = viewOf(api, call)
  if (view.format !== 'json') throw notAcceptable(['application/json;stream=watch'])
  const options = listOptionsOf(call)
  const ending = new AbortController()
  const stop = () => ending.abort()
  if (call.request.signal.aborted) stop()
  call.request.signal.addEventListener('abort', stop, { once: true })
  const timeoutMs = (options.timeoutSeconds || defaultTimeoutSeconds) * 1000
  const timer = setTimeout(stop, Math.min(timeoutMs, 2 ** 31 - 1))
  const frames = watchFrames(api, call, view, options, ending.signal)
  const body = new ReadableStream<Uint8Array>({
    pull: async controller => {
      const { value, done } = await frames.next()
      if (!done) return controller.enqueue(Buffer.from(value))
      clearTimeout(timer)
      call.request.signal.removeEventListener('abort', stop)
      controller.close()
    },
    cancel: async () => {
      clearTimeout(timer)
      stop()
      await frames.return()
    },
  })
  return new Response(body, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
  })
}

/** What the watch sends, in order. A failure is an event too: the answer's status was sent long ago. */
async function* watchFrames(
  { hub }: Api,
  call: Call,
  view: View,
  { query, sendInitialEvents, allowWatchBookmarks, ...options }: ListOptions,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  let version = options.resourceVersion
  const bookmark = (annotations?: Readonly<Record<string, string>>) =>
    frame('BOOKMARK', view.streamed(bookmarkObject(call, version, annotations)))
  try {
    const isFromNow = version === '' || version === '0'
    if (sendInitialEvents ?? isFromNow) {
      const { items, resourceVersion } = await hub.list({ ...query, limit: undefined })
      for (const object of items) yield frame('ADDED', view.streamed(object))
      version = resourceVersion
      if (sendInitialEvents) yield bookmark(initialEventsEnd)
    } else if (isFromNow) version = (await hub.list({ ...query, limit: 1 })).resourceVersion
    const onProgress = (reached: string) => {
      version = reached
    }
    const events = hub.watch({ ...query, after: version, signal, onProgress })
    for await (const event of withPauses(events, bookmarkEveryMs)) {
      if (event === 'pause') {
        if (allowWatchBookmarks) yield bookmark()
        continue
      }
      version = event.object.metadata.resourceVersion!
      yield frame(event.type, view.streamed(event.object))
    }
    if (allowWatchBookmarks && !call.request.signal.aborted) yield bookmark()
  } catch (error) {
    if (!signal.aborted) yield frame('ERROR', JSON.stringify(failure(asApiError(error))))
  }
}

const frame = (type: HubEvent['type'] | 'BOOKMARK' | 'ERROR', object: string): string =>
  `{"type":"${type}","object":${object}}\n`

const bookmarkObject = (
  { served: { kind, version } }: Call,
  resourceVersion: string,
  annotations?: Readonly<Record<string, string>>,
): KubernetesObject => ({
  kind: kind.kind,
  apiVersion: apiVersionOf(kind, version),
  metadata: { resourceVersion, ...(annotations && { annotations }) } as KubernetesObject['metadata'],
})

/** The items as they come, and `pause` whenever there was none for so long. */
async function* withPauses<T>(items: AsyncIterable<T>, ms: number): AsyncGenerator<T | 'pause'> {
  const iterator = items[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const result = await orPause(next, ms)
      if (result === 'pause') yield 'pause'
      else if (result.done) return
      else {
        yield result.value
        next = iterator.next()
      }
    }
  } finally {
    await iterator.return?.()
  }
}

const orPause = async <T>(promise: Promise<T>, ms: number): Promise<T | 'pause'> => {
  let timer: NodeJS.Timeout | undefined
  const pause = new Promise<'pause'>(resolve => {
    timer = setTimeout(() => resolve('pause'), ms)
    timer.unref()
  })
  try {
    return await Promise.race([promise, pause])
  } finally {
    clearTimeout(timer)
  }
}

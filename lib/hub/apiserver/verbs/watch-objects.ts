import { apiVersionOf } from '../../../foundations/kinds/all.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { HubPage } from '../../store/hub.ts'
import { type Api, type Call, type Handler, memoryShareOf, turnOf } from '../call.ts'
import { type Flow, flowOf } from '../fairness/flow.ts'
import type { UnsentFrames } from '../fairness/unsent-frames.ts'
import { notAcceptable } from '../refusals.ts'
import { asApiError, failure } from '../status.ts'
import type { View } from '../views.ts'
import { viewOf } from '../views.ts'
import { streamOf } from '../wire/byte-stream.ts'
import { eventFrame, frame } from '../wire/frames.ts'
import { heldBy, pagesInTurn } from './list-objects.ts'
import type { ListOptions } from './list-options.ts'
import { listOptionsOf } from './list-options.ts'

/** Interval of bookmarks on a quiet watch, as in Kubernetes' watch cache. */
const bookmarkEveryMs = 60_000
/** Kubernetes ends watches without a timeout after half an hour to an hour. */
const defaultTimeoutSeconds = 1800
const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' }

/** One for all watches: hundreds may end at the same time, and creating an error for each would also create a stack trace. */
const watchEnded = new Error('the watch has ended')

/** Streams one JSON line per change until the client disconnects or the timeout passes. */
export const watchObjects: Handler = async (api, call) => {
  const view = viewOf(api, call)
  if (view.format !== 'json') throw notAcceptable(['application/json;stream=watch'])
  const options = listOptionsOf(call)
  const ending = new AbortController()
  const timeoutMs = (options.timeoutSeconds || defaultTimeoutSeconds) * 1000
  const stop = () => {
    clearTimeout(timer)
    call.request.signal.removeEventListener('abort', stop)
    ending.abort(watchEnded)
  }
  const timer = setTimeout(stop, Math.min(timeoutMs, 2 ** 31 - 1))
  if (call.request.signal.aborted) stop()
  call.request.signal.addEventListener('abort', stop, { once: true })
  const slow = new AbortController()
  const frames = countedUntilSent(watchFrames(api, call, view, options, ending.signal), {
    unsent: api.fairness?.unsent,
    flow: flowOf(call.user),
    drop: () => slow.abort(new Error('the client receives events too slowly')),
  })
  return new Response(streamOf(frames, { stop, dropped: slow.signal, turn: turnOf(api, call) }), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
  })
}

interface FrameMemory {
  readonly unsent: UnsentFrames | undefined
  readonly flow: Flow
  readonly drop: () => void
}

/** The frames, each counted until the next one is requested; the client of a dropped watch resumes where it ended. */
async function* countedUntilSent(
  frames: AsyncGenerator<string | Uint8Array, void>,
  { unsent, flow, drop }: FrameMemory,
): AsyncGenerator<Uint8Array, void> {
  for await (const each of frames) {
    const bytes = typeof each === 'string' ? Buffer.from(each) : each
    const release = unsent?.hold(flow, bytes, drop)
    try {
      yield bytes
    } finally {
      release?.()
    }
  }
}

/** The events of the watch, in order. An error is an event too, as the response's status was already sent. */
async function* watchFrames(
  api: Api,
  call: Call,
  view: View,
  { query, sendInitialEvents, allowWatchBookmarks, ...options }: ListOptions,
  signal: AbortSignal,
): AsyncGenerator<string | Uint8Array, void> {
  const { hub } = api
  let version = options.resourceVersion
  const bookmark = (annotations?: Readonly<Record<string, string>>) =>
    frame('BOOKMARK', view.streamed(bookmarkObject(call, version, annotations)).text())
  try {
    const isFromNow = version === '' || version === '0'
    if (sendInitialEvents ?? isFromNow) {
      const memory = memoryShareOf(api, call)
      for await (const page of pagesInTurn(hub.pages({ ...query, limit: undefined }), memory.enter)) {
        version = page.resourceVersion
        const taken = Promise.withResolvers<void>()
        memory.hold(heldBy(page), taken.promise)
        try {
          yield* initialFrames(page, view)
        } finally {
          taken.resolve()
        }
        if (signal.aborted) return
      }
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
      yield eventFrame(event, view)
    }
    if (allowWatchBookmarks && !call.request.signal.aborted) yield bookmark()
  } catch (error) {
    if (!signal.aborted) yield frame('ERROR', JSON.stringify(failure(asApiError(error))))
  }
}

/** Collects events up to this number of characters: many small ones, or one large one. */
const partSize = 65_536

function* initialFrames({ items }: HubPage<KubernetesObject>, view: View): Generator<string, void> {
  let part = ''
  for (const item of items) {
    part += frame('ADDED', view.initial(item))
    if (part.length < partSize) continue
    yield part
    part = ''
  }
  if (part !== '') yield part
}

const bookmarkObject = (
  { served: { kind, version } }: Call,
  resourceVersion: string,
  annotations?: Readonly<Record<string, string>>,
): KubernetesObject => ({
  kind: kind.kind,
  apiVersion: apiVersionOf(kind, version),
  metadata: { resourceVersion, ...(annotations && { annotations }) } as KubernetesObject['metadata'],
})

/** The items as they arrive, and `pause` whenever none arrived for a while. */
async function* withPauses<T>(items: AsyncIterable<T>, ms: number): AsyncGenerator<T | 'pause'> {
  const iterator = items[Symbol.asyncIterator]()
  let pause: (event: 'pause') => void
  const timer = setTimeout(() => pause('pause'), ms).unref()
  let next = iterator.next()
  try {
    for (;;) {
      const pausing = new Promise<'pause'>(resolve => {
        pause = resolve
      })
      const result = await Promise.race([next, pausing])
      timer.refresh()
      if (result === 'pause') yield 'pause'
      else if (result.done) return
      else {
        yield result.value
        next = iterator.next()
      }
    }
  } finally {
    clearTimeout(timer)
    await iterator.return?.()
  }
}

import { type ObjectState, objectStateOf } from '../foundations/fleet/object-state.ts'
import { describeRef, type KubernetesObject, refOf } from '../foundations/kinds/object.ts'
import type { Hub } from '../hub/store/hub.ts'
import { readinessOf } from './readiness.ts'
import type { Terminal } from './terminal.ts'

const watchedKinds = [
  { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' },
  { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' },
] as const

/** Delay before changes are printed together, counted from the first: a state that is shorter is not worth a line. */
const momentMs = 100

/** Follows the hub's sources and Kustomizations, and prints a line when one of them changes state. */
export interface Progress {
  /** Resolves when all are ready, or one is stalled; rejects with the signal's reason. */
  settled(signal: AbortSignal): Promise<'ready' | 'stalled'>
  /** The objects that are not ready now, a line each. */
  unready(): readonly string[]
}

/** Follows until the signal aborts, and resolves once all objects that there are have been listed. */
export const followProgress = async (hub: Hub, terminal: Terminal, signal: AbortSignal): Promise<Progress> => {
  const standings = new Map<string, ObjectState>()
  const printed = new Map<string, ObjectState>()
  /** Names of objects that changed since the last output. */
  const changed = new Set<string>()
  let printing: NodeJS.Timeout | undefined
  const listeners = new Set<() => void>()

  const note = (object: KubernetesObject): void => {
    const name = describeRef(refOf(object))
    standings.set(name, objectStateOf(object))
    changed.add(name)
    printing ??= setTimeout(printChanged, momentMs)
  }

  const forget = (object: KubernetesObject): void => {
    const name = describeRef(refOf(object))
    for (const known of [standings, printed, changed]) known.delete(name)
  }

  const printChanged = (): void => {
    clearTimeout(printing)
    printing = undefined
    terminal.together(() => {
      for (const name of changed) {
        const [standing, before] = [standings.get(name)!, printed.get(name)]
        if (before?.state === standing.state && before.message === standing.message) continue
        print(terminal, name, standing)
        printed.set(name, standing)
      }
    })
    changed.clear()
  }

  const follow = async (kind: (typeof watchedKinds)[number]): Promise<void> => {
    let after = ''
    for await (const { items, resourceVersion } of hub.pages(kind)) {
      for (const { object } of items) note(object)
      after = resourceVersion
    }
    void keepWatching(hub.watch({ ...kind, after, signal }))
  }

  const keepWatching = async (events: ReturnType<Hub['watch']>): Promise<void> => {
    try {
      for await (const { type, object } of events) {
        if (type === 'DELETED') forget(object)
        else note(object)
        for (const listener of listeners) listener()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  for (const kind of watchedKinds) await follow(kind)
  signal.addEventListener('abort', printChanged, { once: true })
  return {
    settled: abort =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const readiness = readinessOf([...standings.values()])
          if (readiness !== 'open') finish(() => resolve(readiness))
        }
        const finish = (end: () => void): void => {
          printChanged()
          listeners.delete(check)
          abort.removeEventListener('abort', onAbort)
          end()
        }
        const onAbort = (): void => finish(() => reject(abort.reason))
        abort.addEventListener('abort', onAbort)
        listeners.add(check)
        check()
      }),
    unready: () =>
      [...standings]
        .filter(([, { state }]) => state !== 'ready' && state !== 'suspended')
        .map(([name, { message }]) => `${name}: ${message}`),
  }
}

const print = (terminal: Terminal, name: string, { state, message }: ObjectState): void => {
  const line = `${name}  ${message}`
  if (state === 'ready') terminal.success(line)
  else if (state === 'failed' || state === 'stalled') terminal.failure(line)
  else terminal.waiting(line)
}

import type { Hub } from '../hub/hub.ts'
import { describeRef, type KubernetesObject, refOf } from '../kinds/object.ts'
import { type Standing, settlementOf, standingOf } from './settlement.ts'
import type { Terminal } from './terminal.ts'

const watchedKinds = [
  { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' },
  { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' },
] as const

/** Follows the hub's sources and Kustomizations, and prints a line whenever one of them stands differently. */
export interface Progress {
  /** Resolves when all are ready, or one is stalled; rejects with the signal's reason. */
  settled(signal: AbortSignal): Promise<'ready' | 'stalled'>
  /** The objects that are not ready now, a line each. */
  unready(): readonly string[]
}

export const followProgress = async (hub: Hub, terminal: Terminal, signal: AbortSignal): Promise<Progress> => {
  const standings = new Map<string, Standing>()
  const listeners = new Set<() => void>()

  const note = (object: KubernetesObject): void => {
    const name = describeRef(refOf(object))
    const standing = standingOf(object)
    const before = standings.get(name)
    standings.set(name, standing)
    if (before?.state !== standing.state || before.message !== standing.message) print(terminal, name, standing)
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
        if (type === 'DELETED') standings.delete(describeRef(refOf(object)))
        else note(object)
        for (const listener of listeners) listener()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  for (const kind of watchedKinds) await follow(kind)
  return {
    settled: abort =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const settlement = settlementOf([...standings.values()])
          if (settlement !== 'open') finish(() => resolve(settlement))
        }
        const finish = (end: () => void): void => {
          listeners.delete(look)
          abort.removeEventListener('abort', onAbort)
          end()
        }
        const onAbort = (): void => finish(() => reject(abort.reason))
        abort.addEventListener('abort', onAbort)
        listeners.add(look)
        look()
      }),
    unready: () =>
      [...standings]
        .filter(([, { state }]) => state !== 'ready' && state !== 'suspended')
        .map(([name, { message }]) => `${name}: ${message}`),
  }
}

const print = (terminal: Terminal, name: string, { state, message }: Standing): void => {
  const line = `${name}  ${message}`
  if (state === 'ready') terminal.success(line)
  else if (state === 'failed' || state === 'stalled') terminal.failure(line)
  else terminal.waiting(line)
}

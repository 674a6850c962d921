import type { Manifest } from './manifest.ts'

export type HookEvent =
  | 'pre-install'
  | 'post-install'
  | 'pre-delete'
  | 'post-delete'
  | 'pre-upgrade'
  | 'post-upgrade'
  | 'pre-rollback'
  | 'post-rollback'
  | 'test'

/** A document that Helm applies at certain points of a release, apart from the other manifests. */
export interface Hook {
  readonly name: string
  readonly kind: string
  /** Path of the template, starting at the root chart. */
  readonly path: string
  readonly content: string
  readonly events: readonly HookEvent[]
  /** Lower ones run first. */
  readonly weight: number
  /** `before-hook-creation`, `hook-succeeded`, `hook-failed`; as written, in lower case. */
  readonly deletePolicies: readonly string[]
  readonly outputLogPolicies: readonly string[]
}

const EVENTS: ReadonlyMap<string, HookEvent> = new Map([
  ...(
    [
      ...['pre-install', 'post-install', 'pre-delete', 'post-delete', 'pre-upgrade', 'post-upgrade'],
      ...['pre-rollback', 'post-rollback', 'test'],
    ] as HookEvent[]
  ).map(event => [event, event] as const),
  // The name in Helm 2.
  ['test-success', 'test'],
])

/** The hook that a document's annotations describe; [] if it names an unknown event, since Helm then drops the document. */
export const hookOf = ({ path, kind, head, content }: Manifest): Hook[] => {
  const { name, annotations } = head
  const events = listOf(annotations.get('helm.sh/hook')!).map(event => EVENTS.get(event))
  if (!events.every(event => event !== undefined)) return []
  const policies = (annotation: string) => {
    const text = annotations.get(annotation)
    return text === undefined ? [] : listOf(text)
  }
  return [
    {
      ...{ name, kind, path, content, events },
      weight: weightOf(annotations.get('helm.sh/hook-weight')),
      deletePolicies: policies('helm.sh/hook-delete-policy'),
      outputLogPolicies: policies('helm.sh/hook-output-log-policy'),
    },
  ]
}

const listOf = (text: string): string[] => text.split(',').map(item => item.trim().toLowerCase())

/** Anything but an integer counts as 0. */
const weightOf = (text = ''): number => (/^[+-]?\d+$/.test(text) ? Number(text) : 0)

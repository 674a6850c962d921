import { serverOfOutage } from '../../foundations/rules/outage.ts'
import type { Notification } from './notification.ts'

/** What an event says of its object's state; undefined for progress and the like. */
export const stateIn = ({ severity, reason }: Notification): 'failing' | 'healthy' | undefined => {
  if (severity === 'error') return 'failing'
  return recoveries.test(reason) && !/^(Rollback|Uninstall)/.test(reason) ? 'healthy' : undefined
}

/** Reasons of events about work that is done, and about Clusters that are well. */
const recoveries = /Succeeded$|^(NewArtifact|ArtifactUpToDate|ClusterReady|CredentialRenewed|ControlPlaneHealthy)$/

/** What of its object an event is about: a Cluster may be reachable with a credential that is about to expire, or while checks of its control plane fail. */
export const topicOf = ({ reason }: Notification): string => {
  if (/^Credential/.test(reason)) return 'credential'
  return /^ControlPlane/.test(reason) ? 'control plane' : ''
}

/**
 * Equal for events with the same cause: one unreachable cluster, whatever its connections say; otherwise the same reason and
 * message, but for the object's own name, digests and durations.
 */
export const causeOf = ({ reason, message, involvedObject: { name, namespace } }: Notification): string => {
  const server = serverOfOutage(message)
  if (server) return `cluster ${server}`
  const general = message
    .replaceAll(`${namespace}/${name}`, '')
    .replaceAll(name, '')
    .replaceAll(/[0-9a-f]{7,}|\d+(\.\d+)?(ms|s|m|h)\b/g, '')
  return `${reason}: ${general}`
}

/** Objects in one state for one cause. */
export interface CauseGroup {
  readonly state: 'failing' | 'healthy'
  readonly cause: string
  /** That of the first object. */
  readonly message: string
  readonly count: number
  /** The first of them: `Kustomization/apps/web`. */
  readonly objects: readonly string[]
}

const maxNamed = 5

/** The groups with another one, whose objects are counted with those of the same state and cause. */
export const withGroup = (groups: readonly CauseGroup[], one: CauseGroup): readonly CauseGroup[] => {
  const known = groups.find(({ state, cause }) => state === one.state && cause === one.cause)
  if (!known) return [...groups, one]
  const objects = [...known.objects, ...one.objects].slice(0, maxNamed)
  return groups.map(group => (group === known ? { ...known, count: known.count + one.count, objects } : group))
}

/** The text of one message: a line for each cause, failures first. */
export const describeGroups = (groups: readonly CauseGroup[]): string =>
  groups
    .toSorted((a, b) => Number(a.state === 'healthy') - Number(b.state === 'healthy'))
    .map(({ state, message, count, objects }) => {
      const more = count > objects.length ? ` and ${count - objects.length} more` : ''
      const which = `${count} ${count === 1 ? 'object' : 'objects'}: ${objects.join(', ')}${more}`
      return state === 'failing' ? `${message}\n(${which})` : `recovered: ${which}\n(it was: ${message})`
    })
    .join('\n\n')

/** Names and timeouts of a HelmRelease's release. */

import { durationMs } from '../../foundations/kinds/duration.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'

/** The field manager of all that is written for HelmReleases, as of helm-controller. */
export const fieldManager = 'helm-controller'

const maxNameBytes = 53
const keptHash = 12

/** Name of the release (HR-035); a name that is too long is cut and ends in a hash of the whole. */
export const releaseNameOf = ({ metadata, spec }: HelmRelease): string => {
  const name = spec.releaseName || (spec.targetNamespace ? `${spec.targetNamespace}-${metadata.name}` : metadata.name)
  if (Buffer.byteLength(name) <= maxNameBytes) return name
  const hash = sha256Hex(name).slice(0, keptHash)
  return `${name.slice(0, maxNameBytes - keptHash - 1)}-${hash}`
}

/** Namespace of the HelmRelease on the hub. */
export const namespaceOf = ({ metadata }: HelmRelease): string => metadata.namespace ?? ''

/** Namespace that the release is installed in. */
export const releaseNamespaceOf = (release: HelmRelease): string => release.spec.targetNamespace || namespaceOf(release)

/** Namespace that the release is stored in. */
export const storageNamespaceOf = (release: HelmRelease): string =>
  release.spec.storageNamespace || namespaceOf(release)

const defaultTimeoutMs = 5 * 60_000

export type ActionWithTimeout = 'install' | 'upgrade' | 'test' | 'rollback' | 'uninstall'

/** Timeout of an action in milliseconds; without an action, the spec's general timeout. */
export const timeoutOf = ({ spec }: HelmRelease, action?: ActionWithTimeout): number => {
  const text = (action && spec[action]?.timeout) ?? spec.timeout
  return text === undefined ? defaultTimeoutMs : durationMs(text)
}

const defaultMaxHistory = 5

/** How many versions of the release Helm keeps in its storage; 0 for all. Flux's default is 5, Helm's 10. */
export const maxHistoryOf = ({ spec }: HelmRelease): number => spec.maxHistory ?? defaultMaxHistory

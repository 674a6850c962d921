import type { AttemptInputs } from './attempt-inputs.ts'
import type { Draft } from './draft.ts'
import { namespaceOf } from './names.ts'
import type { ChartSource } from './resolve-source.ts'

/**
 * The object whose change makes an unfinished action obsolete, as `Kind/namespace/name` (HR-055): the chart's source, or the HelmRelease, also
 * if an object with its values has changed, since it is not known which one.
 */
export const newerThan = (
  begun: AttemptInputs,
  inputs: AttemptInputs,
  { release }: Draft,
  source: ChartSource,
): string | undefined => {
  const isSame = (field: keyof AttemptInputs) => begun[field] === inputs[field]
  if (isSame('generation') && isSame('request') && !isSame('chartVersion')) return `${source.kind}/${source.place}`
  const isAll = isSame('generation') && isSame('request') && isSame('configDigest')
  return isAll ? undefined : `HelmRelease/${namespaceOf(release)}/${release.metadata.name}`
}

import { type Comparison, isDifferent } from '../../foundations/fleet/comparison.ts'
import { counted } from './phrases.ts'

/** The first line of a comparison: whether a cluster is as it was applied, as far as it could be compared. */
export const comparisonHeadline = ({ desired, counts, changes, moreChanges, refused }: Comparison): string => {
  if (isDifferent({ counts })) {
    const many = changes.length + moreChanges
    return `${counted(many, 'object')} on the cluster ${many === 1 ? 'differs' : 'differ'}`
  }
  if (refused.length > 0) return 'The cluster could not be compared in full'
  return desired === 'AppliedLast' ? 'The cluster is as it was applied' : 'The cluster is as the ResourceSet renders it'
}

/** What a cluster was compared with. */
export const describeDesired = (desired: Comparison['desired']): string =>
  desired === 'AppliedLast' ? 'was applied last' : 'is what it renders now and has not applied yet'

import { type Comparison, isDifferent } from '../../foundations/fleet/comparison.ts'
import { counted } from './phrases.ts'

/** The first line of a comparison: whether a cluster is as it was applied, as far as it could be compared. */
export const comparisonHeadline = ({ counts, changes, moreChanges, refused }: Comparison): string => {
  if (isDifferent({ counts })) {
    const many = changes.length + moreChanges
    return `${counted(many, 'object')} on the cluster ${many === 1 ? 'differs' : 'differ'}`
  }
  return refused.length > 0 ? 'The cluster could not be compared in full' : 'The cluster is as it was applied'
}

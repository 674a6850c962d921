import { type PullRequest, pullRequest } from '../../foundations/kinds/pull-request.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for PullRequests: a new artifact of the base or of the head needs a pass. The function that reaches clusters makes them. */
export const pullRequestAddress: AddressOf<PullRequest> = {
  kind: pullRequest,
  stage: 'apply',
  reactsTo: ['GitRepository'],
}

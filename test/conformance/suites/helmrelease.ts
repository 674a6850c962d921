import { replayAll } from '../flux/scenarios-at-once.ts'
import type { ConformanceSuite } from '../suite.ts'

/** Recorded of helm-controller: every story is replayed on real kube-apiservers, with what Helm has stored. Takes minutes. */
export const suite: ConformanceSuite = {
  folder: 'helmrelease',
  slow: true,
  cases: replayAll,
}

/**
 * A hub on AWS, as `cdk deploy` makes it. The emulator checks every signature and every IAM policy, so all of this is done
 * with the rights that the stack gives. One deployment serves all stories, which are told side by side: each has objects of
 * its own, and none waits for another's.
 */
import { describe } from 'node:test'
import { deployedHub } from './deployed-hub.ts'
import { begins } from './stories/begins.ts'
import { checksSources } from './stories/checks-sources.ts'
import { deploysAgain } from './stories/deploys-again.ts'
import { discoversClusters } from './stories/discovers-clusters.ts'
import { fetchesSources } from './stories/fetches-sources.ts'
import { followsPushes } from './stories/follows-pushes.ts'
import { hidesSecrets } from './stories/hides-secrets.ts'
import { inheritsTargets } from './stories/inherits-targets.ts'
import { installsReleases } from './stories/installs-releases.ts'
import { isTakenAway } from './stories/is-taken-away.ts'
import { keepsRecord } from './stories/keeps-record.ts'
import { knowsUsers } from './stories/knows-users.ts'
import { leavesToRunners } from './stories/leaves-to-runners.ts'
import { makesResourceSets } from './stories/makes-resource-sets.ts'
import { namesTargetOnRoot } from './stories/names-target-on-root.ts'
import { plansPullRequests } from './stories/plans-pull-requests.ts'
import { readsClusters } from './stories/reads-clusters.ts'
import { rendersCharts } from './stories/renders-charts.ts'
import { rollsOut } from './stories/rolls-out.ts'
import { showsConsole } from './stories/shows-console.ts'
import { signsRuns } from './stories/signs-runs.ts'
import { undoes } from './stories/undoes.ts'
import { updatesImages } from './stories/updates-images.ts'
import { waitsForWindows } from './stories/waits-for-windows.ts'
import { watchesClusters } from './stories/watches-clusters.ts'

const hub = await deployedHub('keelson')

describe('a hub on AWS', () => {
  begins(hub)
  describe('at work', { concurrency: 3 }, () => {
    rollsOut(hub) // first, as it takes longest
    leavesToRunners(hub)
    followsPushes(hub)
    makesResourceSets(hub)
    installsReleases(hub)
    inheritsTargets(hub)
    namesTargetOnRoot(hub)
    rendersCharts(hub)
    checksSources(hub)
    fetchesSources(hub)
    updatesImages(hub)
    knowsUsers(hub)
    keepsRecord(hub)
    hidesSecrets(hub)
    showsConsole(hub)
    readsClusters(hub)
    waitsForWindows(hub)
    undoes(hub)
    signsRuns(hub)
    plansPullRequests(hub)
    watchesClusters(hub)
    discoversClusters(hub)
    deploysAgain(hub)
  })
  isTakenAway(hub)
})

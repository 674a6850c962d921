/** Which clusters have applied which revision and which chart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetOf } from '../../../../lib/foundations/fleet/fleet-clusters.ts'
import { appliedVersions, groupedVersions } from '../../../../lib/foundations/fleet/versions.ts'
import { objectOf, unitOn } from './fleet-parts.ts'

test('revisions by source and charts by name, the one that runs on most clusters first', () => {
  const at = (secret: string, name: string, lastAppliedRevision: string) =>
    unitOn(secret, name, { status: { lastAppliedRevision } })
  const release = objectOf('HelmRelease', 'db', {
    status: { history: [{ chartName: 'postgres', chartVersion: '1.2.3' }] },
  })
  const set = objectOf('ResourceSet', 'apps', { status: { lastAppliedRevision: 'sha256:1' } })
  const units = [
    at('a', 'old', 'main@sha1:1'),
    at('b', 'web', 'main@sha1:2'),
    at('c', 'web', 'main@sha1:2'),
    release,
    set,
    unitOn('a', 'new'),
  ]
  const shown = groupedVersions(appliedVersions(fleetOf({ clusters: [], units, namespaces: [] })))
  assert.deepEqual(
    shown.map(({ what, version, clusters }) => [what, version, clusters]),
    [
      ['GitRepository/apps/app', 'main@sha1:2', ['Secret/apps/b', 'Secret/apps/c']],
      ['GitRepository/apps/app', 'main@sha1:1', ['Secret/apps/a']],
      ['ResourceSet/apps/apps', 'sha256:1', ['hub']],
      ['chart postgres', '1.2.3', ['hub']],
    ],
  )
})

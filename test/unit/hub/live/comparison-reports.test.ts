import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Compared } from '../../../../lib/foundations/fleet/comparison.ts'
import { describeRef, type KubernetesObject, type ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { Attributes } from '../../../../lib/hub/apiserver/authentication/caller.ts'
import { type Compare, comparisonReports } from '../../../../lib/hub/live/comparison-reports.ts'

const unit = {
  ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
  metadata: { name: 'web', namespace: 'apps' },
} as KubernetesObject

const same: Compared = {
  ...{ comparedAt: '2026-11-29T08:00:00Z', desired: 'AppliedLast', revision: 'main@sha1:1' },
  ...{ counts: { unchanged: 2 }, changes: [], moreChanges: 0, refused: [] },
}

/** The response to a person with these rights, such as `get kustomizations in apps`; `compared` notes what was compared. */
const respond = async (query: string, rights: readonly string[], found: Compared = same, compared: string[] = []) => {
  const authorize = async ({ verb, resource }: Attributes) => ({
    allowed: rights.includes(`${verb} ${resource?.resource} in ${resource?.namespace}`),
  })
  const hub = { get: async ({ kind }: ObjectRef) => ({ ...unit, kind }) as never }
  const comparing =
    (by: string): Compare =>
    async ref => {
      compared.push(`${describeRef(ref)}${by}`)
      return found
    }
  const compare = { compare: comparing(''), compareSet: comparing(' by what applies sets') }
  return comparisonReports({ hub, ...compare })(new URL(`https://hub/fleet/live/diff?${query}`), {
    user: { name: 'jane', groups: [] },
    authorize,
  })
}

const all = ['get kustomizations in apps', 'list plans in apps']

test('who may get the unit and list plans in its namespace may compare it', async () => {
  const compared: string[] = []
  assert.deepEqual(await respond('unit=Kustomization/apps/web', all, same, compared), same)
  for (const [at, missing] of [/cannot get resource "kustomizations"/, /cannot list resource "plans"/].entries()) {
    const rights = all.filter((_, one) => one !== at)
    await assert.rejects(respond('unit=Kustomization/apps/web', rights, same, compared), {
      code: 403,
      message: missing,
    })
  }
  assert.deepEqual(compared, ['Kustomization/apps/web'], 'nothing is compared for those who may not see it')
})

test('a ResourceSet is compared by what applies ResourceSets, for those with the same rights', async () => {
  const compared: string[] = []
  const rights = ['get resourcesets in apps', 'list plans in apps']
  assert.deepEqual(await respond('unit=ResourceSet/apps/web', rights, same, compared), same)
  await assert.rejects(respond('unit=ResourceSet/apps/web', rights.slice(0, 1), same, compared), { code: 403 })
  assert.deepEqual(compared, ['ResourceSet/apps/web by what applies sets'])
})

test('what can not be compared is a conflict that names the unit and the cause', async () => {
  await assert.rejects(respond('unit=Kustomization/apps/web', all, { notCompared: 'its Cluster is suspended' }), {
    code: 409,
    message: "Kustomization/apps/web can't be compared: its Cluster is suspended",
  })
})

test('parameters are checked', async () => {
  await assert.rejects(respond('', all), { code: 400, message: 'missing parameter unit of /fleet/live/diff' })
  await assert.rejects(respond('unit=Kustomization/apps/web&as=root', all), {
    code: 400,
    message: /unknown parameter as/,
  })
  await assert.rejects(respond('unit=Secret/apps/login', all), { code: 400, message: /invalid unit=/ })
})

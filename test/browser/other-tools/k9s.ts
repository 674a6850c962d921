import assert from 'node:assert/strict'
import { eventually } from '../../bed/eventually.ts'
import { startK9s } from '../../bed/k9s.ts'
import { unitAt, type Walk } from './scene.ts'

const escapeKey = '\u001b'
const controlD = '\u0004'

/**
 * A walk through k9s: tables by the name of a kind and by its short name, the description and the YAML of an object, Events, and a deletion.
 * `columns` are what the table of Kustomizations shows of the unit.
 */
export const walkThroughK9s = async (walk: Walk, columns: RegExp): Promise<void> => {
  const { hub, kubeconfig, unit } = walk
  await using k9s = startK9s(kubeconfig)
  const shows = (what: RegExp) => eventually(() => assert.match(k9s.screen(), what), { within: 60_000 })
  const open = async (command: string, title: RegExp) => {
    k9s.type(`:${command}\r`)
    await shows(title)
  }

  await shows(/K8s Rev: v1\.36\.\d+\+keelson/)
  await open('kustomizations all', /kustomizations\(all\)\[\d\]/)
  await shows(/NAMESPACE.* NAME.* READY.* STATUS.* CLUSTER.* AGE/)
  await shows(columns)
  await open('ks flux-system', /kustomizations\(flux-system\)\[\d\]/)
  k9s.type(`/${unit}\r`)
  await shows(new RegExp(`kustomizations\\(flux-system\\)\\[1\\] <\\/${unit}>`))

  k9s.type('d')
  await shows(/describe\(flux-system\/\w+\)/i)
  const { lastAppliedRevision } = (await unitAt(walk)).status
  await shows(new RegExp(`Name: +${unit}\\b`))
  await shows(new RegExp(`Message: +Applied revision: ${lastAppliedRevision}`))
  k9s.type(escapeKey)
  await shows(/kustomizations\(flux-system\)/)
  k9s.type('y')
  await shows(/yaml\(flux-system\/\w+\)/i)
  await shows(/kind: Kustomization[\s\S]*prune: true/)
  k9s.type(escapeKey)
  await shows(/kustomizations\(flux-system\)/)

  await open('helmreleases flux-system', /helmreleases\(flux-system\)\[1\]/)
  await shows(/web +True +Helm (install|upgrade) succeeded for release flux-system\/web\.v\d/)
  await open('events flux-system', /events\(flux-system\)\[\d+\]/)
  await shows(/ReconciliationSucceeded +kustomization\/site/)

  await open('configmaps flux-system', /configmaps\(flux-system\)\[\d\]/)
  k9s.type('/spare\r')
  await shows(/configmaps\(flux-system\)\[1\] <\/spare>/)
  k9s.type(controlD)
  await shows(/Delete configmaps flux-system\/spare\?[\s\S]*Cancel +OK/)
  k9s.type('\t\r')
  await eventually(async () => {
    const left = await hub.kubectl('get', 'configmap', 'spare', '-n', 'flux-system', '--ignore-not-found', '-o', 'name')
    assert.equal(left, '', k9s.screen())
  })
}

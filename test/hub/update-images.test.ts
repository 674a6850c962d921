/** `keelson update images`, as a process of its own beside a hub, on a git repository. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { command, ending } from '../bed/command.ts'
import { program } from '../bed/keelson-program.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { servedHub } from './served-hub.ts'

const by = { fieldManager: 'test' }

const kustomization = (name: string, tag: string) => `# of ${name}
images:
  - name: app
    newTag: ${tag} # {"$imagepolicy": "apps:${name}:tag"}
`

test('IM-070 shows what a run would change in a checkout, as a diff that git can apply, and changes it without --dry-run', async () => {
  const { hub, kubeconfig } = await servedHub()
  const { path } = endWithTest(disposableDir())
  const group = 'image.toolkit.fluxcd.io'
  const metadata = (name: string, labels = {}) => ({ name, namespace: 'apps', labels })
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } }, by)
  const automation = {
    ...{ apiVersion: `${group}/v1`, kind: 'ImageUpdateAutomation', metadata: metadata('fleet') },
    spec: {
      ...{ interval: '1h', sourceRef: { kind: 'GitRepository', name: 'fleet' } },
      git: { commit: { author: { email: 'bot@example.com' } } },
      ...{ update: { strategy: 'Setters', path: './deploy' }, policySelector: { matchLabels: { team: 'a' } } },
    },
  }
  await hub.create(automation as KubernetesObject, by)
  for (const [name, team] of [
    ['app', 'a'],
    ['other', 'b'],
  ] as const) {
    const policy = {
      ...{ apiVersion: `${group}/v1`, kind: 'ImagePolicy', metadata: metadata(name, { team }) },
      spec: { imageRepositoryRef: { name }, policy: { semver: { range: '*' } } },
    }
    await hub.create(policy as KubernetesObject, by)
    const status = { latestRef: { name: 'ghcr.io/org/app', tag: '1.1.0' } }
    await hub.update({ ...policy, status } as KubernetesObject, { ...by, subresource: 'status' })
  }
  const git = (...args: readonly string[]) => command('git', ['-C', path, ...args])
  await command('git', ['init', '-q', path])
  mkdirSync(join(path, 'deploy'))
  for (const [file, content] of Object.entries({
    'deploy/app.yaml': kustomization('app', '1.0.0'),
    'deploy/other.yaml': kustomization('other', '1.0.0'),
    'elsewhere.yaml': kustomization('app', '1.0.0'),
  }))
    writeFileSync(join(path, file), content)
  const update = (...flags: readonly string[]) => {
    const access = ['--kubeconfig', kubeconfig, '-n', 'apps', '--path', path]
    return ending(process.execPath, [program, 'update', 'images', 'fleet', ...access, ...flags])
  }
  const before = (file: string) => readFileSync(join(path, file), 'utf8')

  const shown = await update('--dry-run')
  assert.equal(shown.stderr, '')
  assert.match(
    shown.stdout,
    /^--- a\/deploy\/app\.yaml\n\+\+\+ b\/deploy\/app\.yaml\n@@ -4 \+4 @@\n-.*1\.0\.0.*\n\+.*1\.1\.0.*\n$/,
  )
  assert.equal(before('deploy/app.yaml'), kustomization('app', '1.0.0'))
  writeFileSync(join(path, 'diff'), shown.stdout)
  await git('apply', '--unidiff-zero', 'diff')
  assert.equal(before('deploy/app.yaml'), kustomization('app', '1.1.0'))
  await git('apply', '--unidiff-zero', '--reverse', 'diff')

  const [change] = JSON.parse((await update('-o', 'json')).stdout)
  const { file, setter, oldValue, newValue } = change
  assert.deepEqual([file, setter, oldValue, newValue], ['app.yaml', 'apps:app:tag', '1.0.0', '1.1.0'])
  assert.equal(before('deploy/app.yaml'), kustomization('app', '1.1.0'))
  for (const [other, name] of [
    ['deploy/other.yaml', 'other'],
    ['elsewhere.yaml', 'app'],
  ] as const)
    assert.equal(before(other), kustomization(name, '1.0.0'), other)
  assert.equal((await update()).stdout, 'the marked fields have the latest images\n')

  const missing = await ending(process.execPath, [program, 'update', 'images', 'none', '--kubeconfig', kubeconfig])
  assert.match(missing.stderr, /ImageUpdateAutomation flux-system\/none not found/)
  assert.equal(missing.exitCode, 1)
})

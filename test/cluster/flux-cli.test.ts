import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { flux, needsFlux } from '../bed/flux.ts'
import { type FluxWorld, startFluxWorld } from './flux-world.ts'

suite('the unmodified flux CLI', needsFlux, () => {
  let world: FluxWorld
  before(async () => {
    world = await startFluxWorld()
  })
  after(() => world[Symbol.asyncDispose]())

  /** What the command printed: results on stdout, steps on stderr; both must be without failure. */
  const run = async (args: string) => {
    const { exitCode, stdout, stderr } = await flux(world.hub.kubeconfig, args.split(' '))
    assert.equal(exitCode, 0, stderr)
    return {
      table: stdout.split('\n').map(row => row.split('\t').map(cell => cell.trim())),
      steps: stderr.trim(),
      stdout,
    }
  }
  const revision = async () => {
    const { status } = await world.hub.get<{ status: { artifact: { revision: string } } }>(
      'gitrepo',
      'site',
      '-n',
      'flux-system',
    )
    return status.artifact.revision
  }
  const short = async () => (await revision()).replace(/(?<=sha1:.{8}).*/, '')

  test('gets sources and Kustomizations with their revisions', async () => {
    const { table } = await run('get sources git')
    assert.deepEqual(table.slice(0, 2), [
      ['NAME', 'REVISION', 'SUSPENDED', 'READY', 'MESSAGE'],
      ['site', await short(), 'False', 'True', `stored artifact for revision '${await short()}'`, ''],
    ])
    assert.deepEqual((await run('get kustomizations -A')).table.slice(0, 2), [
      ['NAMESPACE', 'NAME', 'REVISION', 'SUSPENDED', 'READY', 'MESSAGE'],
      ['flux-system', 'site', await short(), 'False', 'True', `Applied revision: ${await short()}`, ''],
    ])
  })

  test('KS-298 reconciles a source, and a Kustomization with its source, and waits for both', async () => {
    assert.equal(
      (await run('reconcile source git site')).steps,
      [
        '► annotating GitRepository site in flux-system namespace',
        '✔ GitRepository annotated',
        '◎ waiting for GitRepository reconciliation',
        `✔ fetched revision ${await revision()}`,
      ].join('\n'),
    )
    const { steps } = await run('reconcile kustomization site --with-source')
    assert.match(steps, /✔ fetched revision [\s\S]*◎ waiting for Kustomization reconciliation\n✔ applied revision /)
    assert.ok(steps.endsWith(`✔ applied revision ${await revision()}`), steps)
  })

  for (const [kind, row] of [
    ['kustomization', 'get kustomizations site'],
    ['source git', 'get sources git site'],
  ]) {
    test(`KS-299 suspends and resumes a ${kind}`, async () => {
      const suspended = async () => (await run(row!)).table[1]![2]
      await run(`suspend ${kind} site`)
      assert.equal(await suspended(), 'True')
      assert.match((await run(`resume ${kind} site`)).steps, /✔ .* reconciliation completed/)
      assert.equal(await suspended(), 'False')
    })
  }

  test('traces an object to its Kustomization and source, and shows the tree', async () => {
    const { stdout } = await run('trace configmap settings -n flux-system')
    assert.match(stdout, /Kustomization: +site\n[\s\S]*GitRepository: +site\n[\s\S]*Message: +stored artifact/)
    assert.match(
      (await run('tree kustomization site')).stdout,
      /Kustomization\/flux-system\/site\n└── ConfigMap\/flux-system\/settings/,
    )
  })

  test('creates and deletes', async () => {
    await run('create kustomization two --source=GitRepository/site --path=./two --prune=true --interval=10m')
    assert.equal(
      await world.hub.kubectl('get', 'configmap', 'other', '-n', 'flux-system', '-o', 'name'),
      'configmap/other\n',
    )
    await run('delete kustomization two --silent')
    await world.hub.kubectl('wait', 'ks/two', '-n', 'flux-system', '--for=delete', '--timeout=5m')
  })
})

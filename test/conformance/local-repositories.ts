import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Remotes } from '../../lib/engines/kustomize/remotes.ts'
import { diskTree } from '../../lib/platform/adapters/embedded/disk-tree.ts'
import { checkOutWithGit } from '../../lib/platform/adapters/embedded/git-program.ts'
import { git } from '../bed/git.ts'

/** Where the repositories of the recorded cases lay. */
const RECORDED = /^file:\/\/\/tmp\/TestRemoteLoad_LocalProtocol\d+\/001\//

const pod = (image: string): string => `apiVersion: v1
kind: Pod
metadata:
  name: myapp-pod
  labels:
    app: myapp
spec:
  containers:
  - name: nginx
    image: ${image}
`

const SIMPLE = { 'kustomization.yaml': 'resources: [pod.yaml]\n', 'pod.yaml': pod('nginx:1.7.9') }
const MULTIBASE = {
  'base/kustomization.yaml': 'resources: [pod.yaml]\n',
  'base/pod.yaml': pod('nginx:1.7.9'),
  'dev/kustomization.yaml': 'resources: [../base]\nnamePrefix: dev-\n',
}

/** Git lets submodules come from files only when told to. */
const FILES_ALLOWED = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'protocol.file.allow',
  GIT_CONFIG_VALUE_0: 'always',
}

/** The repositories that the cases with `file:` URLs were recorded with, made again, and what fetches from them. */
export const localRepositories = async (root: string): Promise<Remotes> => {
  await repository(root, 'simple.git', SIMPLE)
  await commitOn(root, 'simple.git', 'change-image', { 'pod.yaml': pod('nginx:2') })
  await repository(root, 'nosuffix', SIMPLE)
  await repository(root, 'multibase.git', MULTIBASE)
  await repository(root, 'multibase', MULTIBASE)
  await repository(root, 'with-submodule.git', { README: '' })
  await submodule(root, 'main', `file://${join(root, 'simple.git')}`)
  await run(root, 'with-submodule.git', 'checkout', '-q', '-b', 'relative-submodule', 'HEAD~1')
  await submodule(root, 'relative-submodule', '../simple.git')
  await run(root, 'with-submodule.git', 'checkout', '-q', 'main')
  return {
    file: async url => {
      throw new Error(`no network: ${url}`)
    },
    repository: async target => {
      const url = target.url.replace(RECORDED, `file://${root}/`)
      return diskTree(await checkOutWithGit({ ...target, url }, root, { ...process.env, ...FILES_ALLOWED }))
    },
  }
}

const run = (root: string, name: string, ...args: string[]): Promise<string> =>
  git(['-c', 'protocol.file.allow=always', ...args], { cwd: join(root, name) })

const repository = async (root: string, name: string, files: Readonly<Record<string, string>>): Promise<void> => {
  mkdirSync(join(root, name))
  await run(root, name, 'init', '-q', '-b', 'main')
  await commit(root, name, files)
}

const commitOn = async (root: string, name: string, branch: string, files: Record<string, string>): Promise<void> => {
  await run(root, name, 'checkout', '-q', '-b', branch)
  await commit(root, name, files)
  await run(root, name, 'checkout', '-q', 'main')
}

const commit = async (root: string, name: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, name, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  await run(root, name, 'add', '-A')
  await run(root, name, 'commit', '-q', '-m', 'Change')
}

const submodule = async (root: string, branch: string, url: string): Promise<void> => {
  const name = 'with-submodule.git'
  await run(root, name, 'checkout', '-q', branch)
  await run(root, name, 'submodule', '--quiet', 'add', url, 'submodule')
  await run(root, name, 'commit', '-q', '-m', 'Add the submodule')
}

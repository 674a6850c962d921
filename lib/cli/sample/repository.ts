import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The sample's first commit: small, and applicable to any cluster and to the hub itself. */
const files: Readonly<Record<string, string>> = {
  'README.md': `# A sample for Keelson

Change \`deploy/greeting.txt\`, commit and push: the cluster follows within a second.
`,
  'deploy/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: keelson-sample
resources:
  - namespace.yaml
  - service-account.yaml
configMapGenerator:
  - name: greeting
    files:
      - greeting.txt
    options:
      disableNameSuffixHash: true
`,
  'deploy/namespace.yaml': `apiVersion: v1
kind: Namespace
metadata:
  name: keelson-sample
`,
  'deploy/service-account.yaml': `apiVersion: v1
kind: ServiceAccount
metadata:
  name: greeter
`,
  'deploy/greeting.txt': 'Hello from git.\n',
}

export interface SampleRepository {
  /** Contains `sample.git`, the bare repository that is served. */
  readonly served: string
  /** A clone to work in, its origin set to the served URL. */
  readonly clone: string
}

/** Creates the sample repository and a clone of it below a directory; keeps existing ones. */
export const sampleRepository = async (directory: string, url: string): Promise<SampleRepository> => {
  const served = join(directory, 'served')
  const bare = join(served, 'sample.git')
  const clone = join(directory, 'sample')
  const git = (...args: string[]) => run('git', ['-C', clone, ...args])
  if (!existsSync(join(clone, '.git', 'refs', 'remotes'))) {
    await mkdir(served, { recursive: true })
    await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare])
    await run('git', ['-C', bare, 'config', 'http.receivepack', 'true'])
    await run('git', ['init', '--quiet', '--initial-branch=main', clone])
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(clone, name)), { recursive: true })
      await writeFile(join(clone, name), content)
    }
    await git('config', 'user.name', 'Keelson sample')
    await git('config', 'user.email', 'sample@keelson.invalid')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'Greet the cluster')
    await git('remote', 'add', 'origin', bare)
    await git('push', '--quiet', '--set-upstream', 'origin', 'main')
  }
  await git('remote', 'set-url', 'origin', url) // the port may differ from start to start
  return { served, clone }
}

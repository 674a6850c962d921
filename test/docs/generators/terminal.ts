import { builtGoTool } from '../../bed/go-tool.ts'
import { kubectlTool } from '../../bed/testcluster.ts'
import type { Generator } from '../generator.ts'
import { openReader } from '../reader.ts'
import { terminalPicture } from '../terminal-picture.ts'

/** docs/terminal.svg: what the README's first commands really print, with hashes, ports and times made the same each time. */
export const terminal: Generator = {
  name: 'terminal',
  slow: true,
  cannotRun: () => (builtGoTool(kubectlTool) ? undefined : 'kubectl is not built: npm test builds it'),
  make: async () => ({ 'docs/terminal.svg': terminalPicture(await session()) }),
}

const change = `cd .keelson/sample/sample
echo 'Hello again.' > deploy/greeting.txt
git commit --all --quiet --message 'Greet again'
git push --quiet
cd ../../..`

/** What a person sees: commands begin with `$ `. */
const session = async (): Promise<string> => {
  await using reader = await openReader()
  const { shell } = reader
  await shell.keepRunning('hub', 'npm start', /✔ hub ready/)
  const started = await shell.printed('hub', /✔ Kustomization.*Applied/)
  await shell.run(`export KUBECONFIG=$PWD/.keelson/kubeconfig\n${change}`)
  const all = await shell.printed('hub', /✔ Kustomization.*Applied[\s\S]*✔ Kustomization.*Applied/)
  const tree = await shell.run('npx keelson tree kustomization sample --namespace flux-system')
  const why = await shell.run('npx keelson why kustomization/sample --namespace flux-system')
  return [
    '$ npm start',
    ...outcomes(started),
    '',
    "$ git commit --all --message 'Greet again' && git push",
    ...outcomes(all.slice(started.length)),
    '',
    '$ npx keelson tree kustomization sample --namespace flux-system',
    ...tree.trim().split('\n'),
    '',
    '$ npx keelson why kustomization/sample --namespace flux-system',
    ...why.split('\n\n')[0]!.split('\n'),
  ]
    .map(sameEachTime())
    .join('\n')
}

/** Without the steps in between, which are shown while they last: how many there are is a matter of time. */
const outcomes = (printed: string): string[] => printed.split('\n').filter(line => /^[►✔✗]/.test(line))

/** The first commit is always the same one to look at, and so on; ports are those that npm start takes. */
const sameEachTime = (): ((line: string) => string) => {
  const commits = new Map<string, string>()
  const shown = (hash: string): string => {
    if (!commits.has(hash)) commits.set(hash, ['3f9c1e7a', 'b82d04c5'][commits.size] ?? '00000000')
    return commits.get(hash)!
  }
  return line =>
    line
      .replaceAll(/\b[0-9a-f]{40}\b/g, shown)
      .replace(/https:\/\/127\.0\.0\.1:\d+/, 'https://127.0.0.1:6448')
      .replace(/http:\/\/127\.0\.0\.1:\d+/, 'http://127.0.0.1:6449')
      .replace(/since \S+ \([^)]*\)/, 'since 5s')
}

import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { ChartFiles, ChartInflation, Helm, HelmPull } from '../../../engines/kustomize/generators/helm.ts'

/**
 * The helm program of this machine, called as kustomize calls it, in a temporary directory: pulled charts are not kept. Fails with kustomize's
 * messages if the program is missing, has another major version than 3 or 4, or fails.
 */
export const helmProgram = (command: string, environment: NodeJS.ProcessEnv = process.env): Helm => {
  const run = (args: readonly string[], configHome: string): Promise<string> => {
    const homes = {
      HELM_CONFIG_HOME: configHome,
      HELM_CACHE_HOME: `${configHome}/.cache`,
      HELM_DATA_HOME: `${configHome}/.data`,
    }
    return execute(command, args, { ...environment, ...homes }, homes)
  }
  let version: Promise<void> | undefined
  const requireVersion = (configHome: string): Promise<void> => {
    version ??= run(['version', '--short'], configHome).then(requireKnownVersion)
    return version
  }

  return {
    pull: chart =>
      inScratch(async scratch => {
        const configHome = chart.configHome ?? join(scratch, 'helm')
        await requireVersion(configHome)
        await run(pullArguments(chart, scratch), configHome)
        return filesBelow(join(scratch, chart.name))
      }),
    template: release =>
      inScratch(async scratch => {
        const configHome = release.configHome ?? join(scratch, 'helm')
        await requireVersion(configHome)
        const chart = join(scratch, 'charts', release.chartName)
        await writeFiles(chart, release.files)
        const valuesFiles = release.values.map((_, i) => join(scratch, `values-${i}.yaml`))
        for (const [i, file] of valuesFiles.entries()) await writeFile(file, release.values[i]!)
        return run(templateArguments(release, chart, valuesFiles), configHome)
      }),
  }
}

const requireKnownVersion = (said: string): void => {
  const found = /v?\d+(?:\.\d+)+/.exec(said)?.[0].replace(/^v/, '')
  if (found === undefined) throw new Error(`cannot find version string in ${said}`)
  if (!/^[34]\./.test(found)) throw new Error(`this plugin requires helm V3 or V4 but got v${found}`)
}

const pullArguments = ({ name, repo, version, devel, debug }: HelmPull, directory: string): string[] => [
  ...['pull', '--untar', '--untardir', directory],
  ...(repo.startsWith('oci://') ? [`${repo.replace(/\/$/, '')}/${name}`] : ['--repo', repo, name]),
  ...(version ? ['--version', version] : []),
  ...(devel ? ['--devel'] : []),
  ...(debug ? ['--debug'] : []),
]

const templateArguments = (release: ChartInflation, chart: string, valuesFiles: readonly string[]): string[] => [
  'template',
  release.releaseName || '--generate-name',
  chart,
  ...(release.namespace ? ['--namespace', release.namespace] : []),
  ...(release.nameTemplate ? ['--name-template', release.nameTemplate] : []),
  ...valuesFiles.flatMap(file => ['-f', file]),
  ...release.apiVersions.flatMap(version => ['--api-versions', version]),
  ...(release.kubeVersion ? ['--kube-version', release.kubeVersion] : []),
  ...(release.includeCRDs ? ['--include-crds'] : []),
  ...(release.skipTests ? ['--skip-tests'] : []),
  ...(release.skipHooks ? ['--no-hooks'] : []),
  ...(release.debug ? ['--debug'] : []),
  ...(release.devel ? ['--devel'] : []),
]

const inScratch = async <T>(work: (directory: string) => Promise<T>): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'keelson-helm-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const writeFiles = async (directory: string, files: ChartFiles): Promise<void> => {
  for (const [path, content] of files) {
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
}

const filesBelow = async (directory: string): Promise<ChartFiles> => {
  const files = new Map<string, Uint8Array>()
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) files.set(relative(directory, path), await readFile(path))
  }
  return files
}

const execute = (
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  shownEnv: Readonly<Record<string, string>>,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [output, errors]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    const fail = (why: string): void => {
      const said = Buffer.concat(errors).toString()
      const shown = Object.entries(shownEnv).map(([name, value]) => `${name}=${value}`)
      reject(
        new Error(
          `${said}: unable to run: '${command} ${args.join(' ')}' with env=[${shown.join(' ')}] ` +
            `(is '${command}' installed?): ${why}`,
        ),
      )
    }
    child.on('error', error => fail(error.message))
    child.on('close', code =>
      code === 0 ? resolve(Buffer.concat(output).toString()) : fail(`exit status ${code ?? -1}`),
    )
  })

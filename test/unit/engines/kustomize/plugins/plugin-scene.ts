import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type BuildOptions, build, printResources } from '../../../../../lib/engines/kustomize/build.ts'
import type { PluginOptions } from '../../../../../lib/engines/kustomize/plugins/exec/plugin-runner.ts'
import { type PluginRunnerSettings, pluginRunner } from '../../../../../lib/platform/adapters/embedded/plugin-runner.ts'
import { tempDir } from '../../../../bed/temp-dir.ts'
import { memoryTree } from '../../../../conformance/memory-tree.ts'

export type Files = Readonly<Record<string, string>>

/** The API group whose plugin the scene has; further ones are installed by name. */
export const GROUP = 'team.example.com'

export const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n'
export const APP = `apiVersion: ${GROUP}/v1\nkind: App\nmetadata:\n  name: app\nsize: big\n`

/** A kustomization of one ConfigMap whose plugin generates, or only transforms. */
export const generating: Files = {
  'kustomization.yaml': 'resources: [a.yaml]\ngenerators: [app.yaml]\n',
  'a.yaml': CONFIG_MAP,
  'app.yaml': APP,
}
export const transforming: Files = {
  ...generating,
  'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [app.yaml]\n',
}

/** Lines of a shell script: what `generate` prints; it does not transform. */
export const generates = (...lines: readonly string[]): string =>
  ['[ "$1" = generate ] || exit 127', ...lines].join('\n')

/** Prints a ConfigMap of that name, with these lines below its name. */
export const prints = (name: string, ...lines: readonly string[]): string =>
  [`cat <<YAML`, `apiVersion: v1`, 'kind: ConfigMap', 'metadata:', `  name: ${name}`, ...lines, 'YAML'].join('\n')

/** What `transform` gets beside its virtual resource, with lines added to it (when it is one object). */
export const echoes = (...lines: readonly string[]): string =>
  [`sed -n '/^---/,$p' | sed 1d`, ...lines.map(line => `echo '${line}'`)].join('\n')

/** A kustomize configuration directory with plugins in it, and builds that may run them. */
export const pluginScene = (settings: PluginRunnerSettings = {}) => {
  const home = tempDir()
  const runnerWith = (more: PluginRunnerSettings) => pluginRunner({ home, network: true, ...settings, ...more })
  return {
    home,
    runnerWith,
    /** Installs a shell script below the configuration directory, by default as the plugin of the group. */
    install(script: string, path = `plugins/${GROUP}`, mode = 0o755): void {
      const file = join(home, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `#!/bin/sh\n${script}\n`)
      chmodSync(file, mode)
    },
    async build(files: Files, plugins: Partial<PluginOptions> = {}, options: BuildOptions = {}): Promise<string> {
      const allowed: PluginOptions = { runner: runnerWith({}), groups: [GROUP], ...plugins }
      const path = 'app/kustomization.yaml' in files ? 'app' : ''
      return printResources((await build(memoryTree(files), path, { plugins: allowed, ...options })).resources)
    },
  }
}

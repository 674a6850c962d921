import type { TreeChange } from '../bed/fast-import.ts'
import type { SeededRandom } from './seeded-random.ts'

/** What git says at the moment: which ConfigMaps each app has, and their values. */
export interface Apps {
  /** The whole tree of the first commit. */
  initial(): TreeChange
  /** A random small change to some apps, as a commit. */
  change(): TreeChange
  /** One more ConfigMap in every app, as a commit. */
  wave(): TreeChange
  /** Takes the last wave back. */
  ebb(): TreeChange
  /** All ConfigMaps that these apps should have in the cluster, with their values. */
  wanted(apps: readonly string[]): Map<string, string>
}

/**
 * Apps of a few ConfigMaps each. `<app>-stable` changes its value but never goes; `<app>-extra-<n>` come and go, `<app>-wave-<n>` in all apps
 * at once.
 */
export function changingApps(names: readonly string[], random: SeededRandom): Apps {
  const apps = new Map(
    names.map(name => [
      name,
      new Map([
        [`${name}-stable`, '0'],
        [`${name}-extra-0`, '0'],
      ]),
    ]),
  )
  let changes = 0

  const filesOf = (app: string): Record<string, string> => {
    const files: Record<string, string> = {
      [`apps/${app}/kustomization.yaml`]: `resources:\n${[...apps.get(app)!.keys()].map(name => `- ${name}.yaml\n`).join('')}`,
    }
    for (const [name, value] of apps.get(app)!)
      files[`apps/${app}/${name}.yaml`] =
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`
    return files
  }

  const changeOne = (app: string): TreeChange => {
    const objects = apps.get(app)!
    const extras = [...objects.keys()].filter(name => name.includes('-extra-'))
    const gone: Record<string, null> = {}
    const kind = random.pick(['stable', 'add', 'remove', 'replace'] as const)
    if (kind === 'stable') objects.set(`${app}-stable`, String(changes))
    if ((kind === 'remove' || kind === 'replace') && extras.length > 0) {
      const name = random.pick(extras)
      objects.delete(name)
      gone[`apps/${app}/${name}.yaml`] = null
    }
    if (kind === 'add' || kind === 'replace') objects.set(`${app}-extra-${changes}`, String(changes))
    return { ...gone, ...filesOf(app) }
  }

  return {
    initial: () => Object.assign({}, ...names.map(filesOf)),
    change: () => {
      changes += 1
      const chosen = Array.from({ length: 1 + random.below(4) }, () => random.pick(names))
      return Object.assign({}, ...[...new Set(chosen)].map(changeOne))
    },
    wave: () => {
      changes += 1
      for (const [app, objects] of apps) objects.set(`${app}-wave-${changes}`, String(changes))
      return Object.assign({}, ...names.map(filesOf))
    },
    ebb: () => {
      const gone: Record<string, null> = {}
      for (const [app, objects] of apps)
        for (const name of [...objects.keys()].filter(name => name.includes('-wave-'))) {
          objects.delete(name)
          gone[`apps/${app}/${name}.yaml`] = null
        }
      return Object.assign(gone, ...names.map(filesOf))
    },
    wanted: wantedApps => new Map(wantedApps.flatMap(app => [...apps.get(app)!])),
  }
}

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ChartFile } from '../../engines/helm/chart.ts'
import type { SourceFile, SourceTree } from '../../sources/artifact/source-tree.ts'
import { type Chart, loadChart } from '../../sources/helm/chart.ts'
import { filesInArchive } from '../../sources/helm/chart-archive.ts'
import { filesInFolder } from '../../sources/helm/chart-folder.ts'
import { InvalidChart } from '../../sources/helm/invalid-chart.ts'

/** Loads a chart from a folder or an archive, following symbolic links like Helm. Fails with InvalidChart. */
export const loadLocalChart = async (path: string): Promise<Chart> => loadChart(await filesAt(path))

/** The same for commands that refuse what has no Chart.yaml before they load it, as helm's do. */
export const loadDetectedChart = async (path: string): Promise<Chart> => {
  const files = await filesAt(path)
  if (files.some(({ name }) => name === 'Chart.yaml')) return loadChart(files)
  if (!isFolder(path)) throw new InvalidChart('unable to detect chart version, no Chart.yaml found')
  const file = resolve(path, 'Chart.yaml')
  throw new InvalidChart(`unable to detect chart at ${file}: open ${file}: no such file or directory`)
}

const filesAt = async (path: string): Promise<readonly ChartFile[]> =>
  isFolder(path) ? filesInFolder(folderTree(path), '') : filesInArchive(await readFile(path))

const isFolder = (path: string): boolean => statSync(path).isDirectory()

/** All files below a folder, in memory, with slash paths. Links are followed, as `helm lint` does. */
export const folderTree = (root: string): SourceTree => {
  const files = new Map<string, SourceFile>()
  const visit = (folder: string): void => {
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const file = `${root}/${path}`
      if (entry.isDirectory() || (!entry.isFile() && statSync(file).isDirectory())) visit(path)
      else files.set(path, { content: readFileSync(file), executable: false })
    }
  }
  visit('')
  return files
}

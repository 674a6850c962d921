import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { SourceFile, SourceTree } from '../../sources/artifact/source-tree.ts'
import { type Chart, loadChart } from '../../sources/helm/chart.ts'
import { filesInArchive } from '../../sources/helm/chart-archive.ts'
import { filesInFolder } from '../../sources/helm/chart-folder.ts'

/** Loads a chart from a folder or an archive, following symbolic links like Helm. Fails with InvalidChart. */
export const loadLocalChart = async (path: string): Promise<Chart> => {
  if (!statSync(path).isDirectory()) return loadChart(await filesInArchive(await readFile(path)))
  return loadChart(filesInFolder(folderTree(path), ''))
}

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

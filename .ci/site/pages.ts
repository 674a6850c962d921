import { posix } from 'node:path'

/** Where a file of the project is on the site; undefined if it is not part of it. */
export const sitePath = (path: string): string | undefined => {
  if (path === 'README.md') return 'index.md'
  if (!/^docs\/.*\.(md|svg|png)$/.test(path)) return undefined
  return path.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md')
}

/**
 * The Markdown of a page as the site needs it: links lead to pages of the site, comments are gone, and flowcharts are pictures.
 *
 * @param path path in the project, such as `docs/clusters.md`
 * @param files paths of all files of the project that pages may link to
 * @param picture puts a picture of a flowchart beside the page, and returns its file name
 */
export const sitePage = (
  path: string,
  text: string,
  files: ReadonlySet<string>,
  picture: (flowchart: string) => string,
): string =>
  splitFences(text)
    .map(part => {
      if (part.startsWith('```mermaid\n')) return `![Flowchart](./${picture(part.slice(11, -4))})\n`
      return part.startsWith('```') ? part : withSiteLinks(path, part.replaceAll(/<!--[\s\S]*?-->\n*/g, ''), files)
    })
    .join('')

/** Prose and fenced blocks, in their order; together they are the text. */
const splitFences = (text: string): readonly string[] => text.split(/(^```[\s\S]*?^```\n)/m)

const withSiteLinks = (path: string, prose: string, files: ReadonlySet<string>): string =>
  prose.replaceAll(/(!?)\[((?:[^[\]`]|`[^`\n]*`|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (link, image, label, to: string) => {
    if (/^[a-z]+:|^#/.test(to)) return link
    const [target = '', anchor] = to.split('#')
    const found = pageAt(posix.join(posix.dirname(path), target), files)
    // Sources and tests are not on the site.
    if (found === undefined) return label
    const from = posix.dirname(sitePath(path)!)
    const relative = posix.relative(from, found)
    return `${image}[${label}](./${relative}${anchor ? `#${anchor}` : ''})`
  })

/** The site's path of a linked file, or of the page of a linked folder. */
const pageAt = (path: string, files: ReadonlySet<string>): string | undefined => {
  const clean = path.replace(/\/$/, '')
  const found = [clean, `${clean}/README.md`].find(candidate => files.has(candidate))
  return found === undefined ? undefined : sitePath(found)
}

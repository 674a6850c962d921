import dagre from '@dagrejs/dagre'

/** Rough widths and heights of text, in pixels: the picture has its own font size. */
const [characterWidth, lineHeight, padding, maxLine] = [6.6, 16, 10, 34]

/**
 * An SVG of a flowchart in the notation of Mermaid, as far as these pages use it: nodes `a["label"]`, and edges `a --> b & c`.
 * Fails on a line that it doesn't know.
 */
export const flowchartSvg = (source: string): string => {
  const { labels, edges } = parse(source)
  const graph = new dagre.graphlib.Graph()
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 40, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const [name, label] of labels) {
    const lines = wrapped(label)
    const width = Math.max(...lines.map(line => line.length)) * characterWidth + 2 * padding
    graph.setNode(name, { lines, width, height: lines.length * lineHeight + 2 * padding })
  }
  for (const [from, to] of edges) graph.setEdge(from, to)
  dagre.layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="system-ui, sans-serif" font-size="12">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#6b7280"/></marker></defs>',
    ...graph
      .edges()
      .map((edge: { readonly v: string; readonly w: string }) => path(graph.edge(edge).points as readonly Point[])),
    ...graph.nodes().map((name: string) => box(graph.node(name) as unknown as Box)),
    '</svg>\n',
  ].join('\n')
}

interface Point {
  readonly x: number
  readonly y: number
}

interface Box extends Point {
  readonly width: number
  readonly height: number
  readonly lines: readonly string[]
}

const parse = (source: string) => {
  const [, ...lines] = source.trim().split('\n')
  const labels = new Map<string, string>()
  const edges: [from: string, to: string][] = []
  for (const line of lines.map(line => line.trim())) {
    const node = /^([\w-]+)\["([^"]*)"\]$/.exec(line)
    const edge = /^([\w-]+) --> ([\w-]+(?: & [\w-]+)*)$/.exec(line)
    if (node) labels.set(node[1]!, node[2]!)
    else if (edge) for (const to of edge[2]!.split(' & ')) edges.push([edge[1]!, to])
    else throw new Error(`this flowchart has a line of another form: ${line}`)
  }
  for (const name of edges.flat()) if (!labels.has(name)) labels.set(name, name)
  return { labels, edges }
}

const wrapped = (text: string): readonly string[] =>
  text.split(' ').reduce<string[]>((lines, word) => {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < maxLine) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
    return lines
  }, [])

const path = (points: readonly Point[]): string =>
  `<polyline points="${points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}" fill="none" stroke="#6b7280" marker-end="url(#tip)"/>`

const box = ({ x, y, width, height, lines }: Box): string => {
  const [left, top] = [x - width / 2, y - height / 2]
  const rows = lines.map((line, at) => {
    const baseline = top + padding + (at + 0.75) * lineHeight
    return `<text x="${x.toFixed(1)}" y="${baseline.toFixed(1)}" text-anchor="middle" fill="#111827">${escaped(line)}</text>`
  })
  return `<rect x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${width.toFixed(1)}" height="${height}" rx="5" fill="#f3f4f6" stroke="#9ca3af"/>${rows.join('')}`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

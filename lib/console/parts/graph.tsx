import dagre from '@dagrejs/dagre'
import { useMemo } from 'preact/hooks'
import type { GraphNode, UnitGraph } from '../model/unit-graph.ts'

const width = 190
const height = 46
const maxTitle = 24
const maxText = 28

interface Placed extends GraphNode {
  readonly x: number
  readonly y: number
}

interface Layout {
  readonly width: number
  readonly height: number
  readonly nodes: readonly Placed[]
  readonly lines: readonly { readonly key: string; readonly path: string }[]
}

/** From left to right, as few crossings as dagre finds. */
const layoutOf = ({ nodes, edges }: UnitGraph): Layout => {
  const graph = new dagre.graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 46, marginx: 2, marginy: 2 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { width, height })
  for (const [from, to] of edges) graph.setEdge(from, to)
  dagre.layout(graph)
  const placed = nodes.map(node => ({ ...node, ...centreOf(graph.node(node.id)) }))
  const size = graph.graph() as { readonly width?: number; readonly height?: number }
  const byId = new Map(placed.map(node => [node.id, node]))
  const lines = edges.flatMap(([from, to]) => {
    const [a, b] = [byId.get(from), byId.get(to)]
    return a && b ? [{ key: `${from} ${to}`, path: curve(a, b) }] : []
  })
  return { width: size.width ?? 0, height: size.height ?? 0, nodes: placed, lines }
}

const centreOf = (at: unknown): { readonly x: number; readonly y: number } => {
  const { x, y } = at as { readonly x: number; readonly y: number }
  return { x, y }
}

const curve = (a: Placed, b: Placed): string => {
  const [from, to] = [a.x + width / 2, b.x - width / 2]
  const middle = (from + to) / 2
  return `M${from} ${a.y} C${middle} ${a.y} ${middle} ${b.y} ${to} ${b.y}`
}

const short = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/** Boxes with their states, each a link. */
export const Graph = ({ of: graph, label }: { readonly of: UnitGraph; readonly label: string }) => {
  const layout = useMemo(() => layoutOf(graph), [JSON.stringify(graph)])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section class="scrolled graph" aria-label={label} tabIndex={0}>
      <svg width={layout.width} height={layout.height} viewBox={`0 0 ${layout.width} ${layout.height}`}>
        <title>{label}</title>
        {layout.lines.map(({ key, path }) => (
          <path key={key} class="edge" d={path} />
        ))}
        {layout.nodes.map(node => (
          <Box key={node.id} node={node} />
        ))}
      </svg>
    </section>
  )
}

const Box = ({ node: { x, y, title, text, state, href } }: { readonly node: Placed }) => (
  <a href={href} class={state.state}>
    <title>{`${title}\n${text}`}</title>
    <rect class="box" x={x - width / 2} y={y - height / 2} width={width} height={height} rx="6" />
    <rect class="edge-mark" x={x - width / 2} y={y - height / 2} width="4" height={height} rx="2" />
    <text x={x - width / 2 + 14} y={y - 4}>
      {short(title, maxTitle)}
    </text>
    <text class="second" x={x - width / 2 + 14} y={y + 14}>
      {short(text, maxText)}
    </text>
  </a>
)

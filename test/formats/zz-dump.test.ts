import { it } from 'vitest';
import { readAll } from './read-all.js';
import { readdirSync } from 'node:fs';
const root='/work/shared/logs';
it('dump', async () => {
  const dirs=(process.env.DIRS??'').split(',');
  for (const d of dirs) for (const f of readdirSync(`${root}/${d}`).filter(n=>!n.endsWith('.source.txt')&&n.includes(process.env.ONLY??''))) {
    const res=await readAll({root,path:`${d}/${f}`});
    for (const r of res) {
      if (r.kind!=='trajectory') { console.log(f, JSON.stringify(r).slice(0,400)); continue; }
      const t=r.trajectory; const roles:any={}; const spans:any={};
      for (const x of t.turns){ roles[x.role]=(roles[x.role]??0)+1; for (const s of x.spans){const k=x.role[0]+' '+s.origin.slice(0,3)+' '+s.kind; spans[k]=(spans[k]??0)+1;} }
      console.log(f, JSON.stringify({roles,spans,session:t.session_id,parent:t.parent_session,model:t.model,ver:t.scaffold_version,term:t.termination,flags:t.flags,ex:t.executions.length,st:t.executions.reduce((a:any,e)=>{const k=e.status+'/'+e.error_type;a[k]=(a[k]??0)+1;return a},{}),epochs:t.epochs.map(e=>e.turns.length),tf:[...new Set(t.turns.flatMap(x=>x.flags))],trunc:t.turns.map((x,i)=>x.truncated&&[i,x.truncated]).filter(Boolean)}));
      if (process.env.FULL) t.turns.forEach((x,i)=>console.log(i,x.role,x.name??'',x.truncated??'',x.flags.join(),x.spans.map(s=>`${s.origin[0]}:${s.kind}${s.call?'='+s.call.name:''}:${JSON.stringify(s.text.slice(0,Number(process.env.FULL)))}`).join(' | ')));
    }
  }
});

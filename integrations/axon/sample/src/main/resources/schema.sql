create table if not exists course (course varchar primary key, seats int);
create table if not exists seat (course varchar, student varchar, primary key (course, student));
